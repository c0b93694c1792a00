import Hummingbird
import Strata
import StrataModelDrawing

/// The files that pages load.
enum StaticFile {
    case style, script, icon

    init?(_ path: [Substring]) {
        switch path {
        case ["style.css"]: self = .style
        case ["script.js"]: self = .script
        case ["icon.svg"]: self = .icon
        default: return nil
        }
    }

    var response: Response {
        switch self {
        case .style: Response(.ok, "text/css; charset=utf-8", styleText)
        case .script: Response(.ok, "text/javascript; charset=utf-8", scriptText)
        case .icon: Response(.ok, "image/svg+xml", iconText)
        }
    }
}

extension Inspector {
    /// The diagram of the model.
    var svg: Response { Response(.ok, "image/svg+xml", SVGDrawing.svg(container.model, title: options.title)) }
}

private let iconText = """
    <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect x="1" y="2" width="14" height="3" rx="1" fill="#2563eb"/>\
    <rect x="1" y="6.5" width="14" height="3" rx="1" fill="#60a5fa"/><rect x="1" y="11" width="14" height="3" rx="1" fill="#93c5fd"/></svg>
    """

private let styleText = """
    :root { --ink: #1f2937; --paper: #ffffff; --faint: #6b7280; --line: #d8dee6; --fill: #f3f6fa; --link: #1d4ed8; --bad: #b91c1c; }
    @media (prefers-color-scheme: dark) {
      :root { --ink: #e5e7eb; --paper: #14181f; --faint: #9aa4b2; --line: #323a46; --fill: #1d232c; --link: #8ab4ff; --bad: #fca5a5; }
      .diagram img { filter: invert(1) hue-rotate(180deg); mix-blend-mode: screen; }
    }
    * { box-sizing: border-box; }
    body { margin: 0; color: var(--ink); background: var(--paper); font: 15px/1.45 system-ui, "Liberation Sans", Arial, sans-serif; }
    a { color: var(--link); }
    :focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
    .skip { position: absolute; left: -100rem; }
    .skip:focus { left: .5rem; top: .5rem; padding: .3rem .6rem; background: var(--paper); z-index: 2; }
    header { display: flex; flex-wrap: wrap; align-items: baseline; gap: .3rem 1.2rem; padding: .6rem 1rem; background: var(--fill);
      border-bottom: 1px solid var(--line); }
    header strong { overflow-wrap: anywhere; }
    header nav { display: flex; flex-wrap: wrap; gap: .2rem 1rem; }
    header .side { margin-left: auto; display: flex; gap: 1rem; }
    #live { color: var(--faint); }
    [aria-current] { color: var(--ink); font-weight: 600; text-decoration: none; }
    main { padding: 1rem; max-width: 110rem; margin: 0 auto; }
    h1 { font-size: 1.4rem; margin: .2rem 0 .8rem; overflow-wrap: anywhere; }
    h2 { font-size: 1.1rem; margin: 1.4rem 0 .5rem; overflow-wrap: anywhere; }
    .scroll { overflow: auto; max-width: 100%; border: 1px solid var(--line); border-radius: 6px; }
    table { border-collapse: collapse; width: 100%; }
    th, td { padding: .3rem .7rem; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); unicode-bidi: isolate; }
    tbody tr:last-child > * { border-bottom: 0; }
    thead th { background: var(--fill); white-space: nowrap; }
    tbody th { font-weight: 500; white-space: nowrap; position: sticky; left: 0; background: var(--paper); }
    tbody tr:hover > * { background: var(--fill); }
    td.type { white-space: nowrap; }
    td { max-width: 32rem; overflow-wrap: anywhere; min-width: 4rem; }
    td.whole { max-width: none; white-space: pre-wrap; }
    .number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
    td.type, span.type, .null, .minor { color: var(--faint); }
    .minor { font-weight: 400; font-size: .85em; }
    .pair { white-space: nowrap; margin-right: .8rem; }
    code, pre, textarea, #where { font-family: ui-monospace, "Liberation Mono", monospace; font-size: .92em; }
    code { overflow-wrap: anywhere; }
    pre { padding: .7rem; background: var(--fill); border: 1px solid var(--line); border-radius: 6px; overflow: auto; }
    pre.wrap { white-space: pre-wrap; overflow-wrap: anywhere; }
    pre.error { color: var(--bad); }
    .facts { display: flex; flex-wrap: wrap; gap: .6rem 2rem; margin: 0 0 1rem; }
    .facts dt { color: var(--faint); font-size: .85em; }
    .facts dd { margin: 0; overflow-wrap: anywhere; }
    .query { display: flex; flex-wrap: wrap; gap: .5rem; align-items: center; margin-bottom: 1rem; }
    .query input[type=text], .query textarea { flex: 1 1 18rem; min-width: 0; }
    input, textarea, select, button { font: inherit; color: inherit; background: var(--paper); border: 1px solid var(--faint); border-radius: 5px; padding: .3rem .6rem; }
    button { background: var(--fill); cursor: pointer; }
    .write { display: flex; flex-wrap: wrap; gap: .6rem 1rem; align-items: center; margin: .8rem 0; }
    .pager { display: flex; flex-wrap: wrap; gap: .4rem 1.2rem; margin: .8rem 0; }
    .diagram { background: var(--paper); padding: .5rem; }
    .diagram img { display: block; }
    .properties { columns: 18rem; padding-left: 1.2rem; margin: 0; }
    details { margin-top: 1rem; }
    """

private let scriptText = #"""
    "use strict";
    // Loads the content again when a save changes what the page shows; not while someone writes in it.
    let main = document.getElementById("main");
    const live = document.getElementById("live");
    let waiting = false, missed = false;
    function isWriting() {
      const active = document.activeElement;
      return main.contains(active) && ["INPUT", "TEXTAREA", "SELECT", "BUTTON"].includes(active.tagName) || main.querySelector("details[open]");
    }
    async function refresh() {
      if (document.hidden || isWriting()) { missed = true; live.textContent = "changed: reload to see it"; return; }
      missed = false;
      const response = await fetch(location.href, { headers: { Accept: "text/html" } });
      const text = await response.text();
      const next = new DOMParser().parseFromString(text, "text/html").getElementById("main");
      if (!next || isWriting()) return;
      const focused = main.contains(document.activeElement) ? [...main.querySelectorAll("a, [tabindex]")].indexOf(document.activeElement) : -1;
      const scrolled = [...main.querySelectorAll(".scroll")].map(box => [box.scrollLeft, box.scrollTop]);
      main.replaceWith(next);
      main = next;
      main.querySelectorAll(".scroll").forEach((box, index) => { if (scrolled[index]) [box.scrollLeft, box.scrollTop] = scrolled[index]; });
      if (focused >= 0) main.querySelectorAll("a, [tabindex]")[focused]?.focus({ preventScroll: true });
      fillTokens();
      live.textContent = "updated " + new Date().toLocaleTimeString();
    }
    function concerns(save) {
      if (!("entities" in main.dataset)) return true;
      const shown = JSON.parse(main.dataset.entities);
      return save.entities.some(name => shown.includes(name));
    }
    const events = new EventSource(main.dataset.events);
    events.addEventListener("ready", () => { if (!missed) live.textContent = "live"; });
    events.addEventListener("error", () => { live.textContent = "not live"; });
    events.addEventListener("save", event => {
      if (waiting || !concerns(JSON.parse(event.data))) return;
      waiting = true;
      setTimeout(() => { waiting = false; refresh().catch(() => { live.textContent = "not live"; }); }, 300);
    });
    document.addEventListener("visibilitychange", () => { if (missed && !document.hidden) refresh(); });
    // The token is in the fragment of the address that the command prints, which a browser sends nowhere; the tab keeps it.
    const given = new URLSearchParams(location.hash.slice(1)).get("token");
    if (given) { sessionStorage.setItem("token", given); history.replaceState(null, "", location.pathname + location.search); }
    function fillTokens() {
      main.querySelectorAll("input[name=token]").forEach(field => { field.value = sessionStorage.getItem("token") ?? ""; });
    }
    fillTokens();
    document.addEventListener("submit", event => {
      const field = event.target.querySelector("input[name=token]");
      if (field?.value) sessionStorage.setItem("token", field.value);
    });
    document.addEventListener("keydown", event => {
      if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || isWriting()) return;
      const field = document.getElementById("where") ?? document.getElementById("q");
      if (field) { event.preventDefault(); field.focus(); }
    });
    """#
