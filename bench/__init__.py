"""What speed was promised, measured: `uv run --group dev python -m bench` prints one table.

Every figure is a ratio to a control in the same run: these machines are noisy, milliseconds only give the order.
"""
