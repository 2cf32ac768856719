mod oracle;
mod rules;
mod stream;
