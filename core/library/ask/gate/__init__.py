"""The gate: does the library hold evidence that answers the question?"""
