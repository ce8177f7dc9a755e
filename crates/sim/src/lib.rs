//! Simulated hosts, applications and the recorder; runs the fabric in virtual time.
