"""The configuration database: rows, references, changes, transactions and their durable copy."""
