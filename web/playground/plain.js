// Said in words that the oldest browsers understand: why a page stays empty.
(function () {
  "use strict";
  function say(title, text, command) {
    var place = document.getElementById("message");
    place.querySelector("h2").textContent = title;
    place.querySelector("p").textContent = text;
    if (command) {
      place.querySelector("pre").hidden = false;
      place.querySelector("code").textContent = command;
    }
    place.hidden = false;
    document.documentElement.className += " stopped";
  }
  var install = "make build\n.venv/bin/tailrace run scenarios/flood.toml";
  if (location.protocol === "file:")
    say("This folder wants to be served", "Browsers let no page from a disk start a simulator. Serve the folder, and open http://localhost:8000:", "python3 -m http.server 8000");
  else if (typeof WebAssembly !== "object" || typeof Worker !== "function")
    say("This browser has no WebAssembly", "The simulator is compiled to WebAssembly, which this browser does not have or does not allow (some do not in a private or lockdown mode). Take a newer one or allow it; or run a scenario on your own machine, in a checkout of Tailrace:", install);
})();
