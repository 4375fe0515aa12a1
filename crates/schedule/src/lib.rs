//! When is it due? Times, intervals, cron expressions, and the phrases people use for them. It knows no clock: every question brings its `now`.
