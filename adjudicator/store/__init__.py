"""The database: tables, transactions and rows. SQLAlchemy lives here and nowhere else."""
