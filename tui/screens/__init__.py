"""What covers the workbench for a moment: help, a long text shown whole."""
