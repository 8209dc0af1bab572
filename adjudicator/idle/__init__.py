"""The quick look before `adjud tick`: with nothing to do the program ends before it is imported.

Most of the ticks that cron runs find nothing, and importing the program takes far longer than to
see that. So this package asks first, with nothing but Python's own modules.
"""
