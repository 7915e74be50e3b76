"""Ring generalization (Wong, Mamoulis, Cheung, SIGMOD 2010)."""
