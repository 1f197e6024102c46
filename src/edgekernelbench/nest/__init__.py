"""The three layers resolved into one explicit loop nest: below the text, above any compiler."""
