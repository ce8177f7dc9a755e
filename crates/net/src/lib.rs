//! The fabric: event queue, links, routers, routes and faults.
