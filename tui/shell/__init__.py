"""The application: panes, navigation, themes, toasts."""
