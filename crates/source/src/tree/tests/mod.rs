mod golden;
mod hostile;
mod properties;
mod suites;
