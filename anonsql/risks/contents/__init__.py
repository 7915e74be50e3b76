"""What kept text holds that points to people: telephone numbers, mail addresses, links, numbers of
accounts, cards and insurances, names, and sentences that no other row has.

Looked at by regular expressions and check digits in the database: counts are all that leaves it.
"""
