mod limits;
mod maker;
mod oracle;
mod rules;
mod stream;
