"""Read records, write tables and pages."""
