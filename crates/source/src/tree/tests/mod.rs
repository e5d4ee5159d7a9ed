mod golden;
mod hostile;
mod properties;
