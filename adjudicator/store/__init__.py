"""The database: tables, transactions and rows. Only this package knows SQLAlchemy."""
