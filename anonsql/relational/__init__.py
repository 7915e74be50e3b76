"""Releases of several tables that belong together: people, and the rows of other tables that are
theirs (k^m-anonymity on rows: Terrovitis, Mamoulis, Kalnis 2008; with all rows known: Nergiz,
Clifton, Nergiz 2009)."""
