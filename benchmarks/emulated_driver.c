/* Runs one kernel that LLVM compiled, without TVM: what `benchmarks/emulated.py` links it with.
 *
 *     driver BUNDLE RESULT
 *
 * BUNDLE holds, in the order of the kernel's arguments, every buffer with its type and contents; RESULT gets all
 * buffers as the kernel left them. The structures are those of tvm-ffi 0.1 and DLPack 1; parallel loops run as
 * one task after the other, as TVM's own pool would on one thread.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct { int32_t kind, id; } Device;
typedef struct { uint8_t code, bits; uint16_t lanes; } Type;
typedef struct {
  void *data; Device device; int32_t ndim; Type type; int64_t *shape, *strides; uint64_t offset;
} Tensor;
typedef struct { int32_t kind; uint32_t zero; union { int64_t number; double real; void *pointer; }; } Any;

typedef struct { void *sync; int32_t tasks; } Group;
typedef int (*Task)(int number, Group *group, void *data);

#define TENSOR 7

extern int32_t __tvm_ffi_prepare(void *self, Any *args, int32_t count, Any *result);
extern int32_t __tvm_ffi_run(void *self, Any *args, int32_t count, Any *result);

static int launch(Task task, void *data, int tasks) {
  Group group = {0, tasks > 0 ? tasks : 1};
  int32_t zero = 0;
  group.sync = &zero;
  for (int number = 0; number < group.tasks; ++number) {
    int failed = task(number, &group, data);
    if (failed) return failed;
  }
  return 0;
}

static int barrier(int number, Group *group) { (void)number; (void)group; return 0; }
static void *take(int type, int id, uint64_t size, int code, int bits) {
  (void)type; (void)id; (void)code; (void)bits;
  void *found = 0;
  return posix_memalign(&found, 64, size ? size : 64) ? 0 : found;
}
static int give(int type, int id, void *memory) { (void)type; (void)id; free(memory); return 0; }
static void complain(const char *kind, const char *text) { fprintf(stderr, "%s: %s\n", kind, text); }
static void complain_parts(const char *kind, const char **parts, int32_t count) {
  fprintf(stderr, "%s: ", kind);
  for (int32_t n = 0; n < count; ++n) fputs(parts[n], stderr);
  fputc('\n', stderr);
}

/* TVM's loader fills these in; here they are ready from the start. */
int (*__TVMBackendParallelLaunch)(Task, void *, int) = launch;
int (*__TVMBackendParallelBarrier)(int, Group *) = barrier;
void *(*__TVMBackendAllocWorkspace)(int, int, uint64_t, int, int) = take;
int (*__TVMBackendFreeWorkspace)(int, int, void *) = give;
void (*__TVMFFIErrorSetRaisedFromCStr)(const char *, const char *) = complain;
void (*__TVMFFIErrorSetRaisedFromCStrParts)(const char *, const char **, int32_t) = complain_parts;

static void must(int ok, const char *what) {
  if (!ok) {
    fprintf(stderr, "%s\n", what);
    exit(3);
  }
}

static int64_t number(FILE *file) {
  int64_t found;
  must(fread(&found, sizeof found, 1, file) == 1, "the bundle is too short");
  return found;
}

int main(int argc, char **argv) {
  must(argc == 3, "expected BUNDLE and RESULT");
  FILE *file = fopen(argv[1], "rb");
  must(file != 0, "no bundle");
  int64_t count = number(file);
  Tensor *tensors = calloc(count, sizeof *tensors);
  Any *args = calloc(count, sizeof *args);
  int64_t *lengths = calloc(count, sizeof *lengths), *sizes = calloc(count, sizeof *sizes);
  must(tensors && args && lengths && sizes, "no memory");
  for (int64_t n = 0; n < count; ++n) {
    int64_t code = number(file), bits = number(file);
    lengths[n] = number(file);
    sizes[n] = number(file);
    must(!posix_memalign(&tensors[n].data, 4096, sizes[n] + 4096), "no memory");
    must(fread(tensors[n].data, 1, sizes[n], file) == (size_t)sizes[n], "the bundle is too short");
    tensors[n].device.kind = 1;
    tensors[n].ndim = 1;
    tensors[n].type.code = code;
    tensors[n].type.bits = bits;
    tensors[n].type.lanes = 1;
    tensors[n].shape = &lengths[n];
    args[n].kind = TENSOR;
    args[n].pointer = &tensors[n];
  }
  fclose(file);
  Any result = {0};
  must(!__tvm_ffi_prepare(0, args, count, &result), "prepare failed");
  must(!__tvm_ffi_run(0, args, count, &result), "run failed");
  file = fopen(argv[2], "wb");
  must(file != 0, "the result cannot be written");
  for (int64_t n = 0; n < count; ++n)
    must(fwrite(tensors[n].data, 1, sizes[n], file) == (size_t)sizes[n], "the result cannot be written");
  must(!fclose(file), "the result cannot be written");
  return 0;
}
