extension HTMLReport {
    /// The first column stays in sight, with the mark of equal answers under each step.
    static let style = """

        :root { --ink: #1d1d1f; --quiet: #6e6e73; --paper: #fff; --line: #d2d2d7; --raw: #85858b; --peer: #b86e00; --strata: #0a66c2;
          --bad: #d70015; --shade: rgb(0 0 0 / .2); }
        @media (prefers-color-scheme: dark) {
          :root { --ink: #f5f5f7; --quiet: #a1a1a6; --paper: #1c1c1e; --line: #3a3a3c; --raw: #8e8e93; --peer: #ff9f0a;
            --strata: #409cff; --bad: #ff6961; --shade: rgb(255 255 255 / .25); }
        }
        body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); margin: 2rem auto; max-width: 1200px;
          padding: 0 1rem; }
        h1 { font-size: 1.8rem; } h2 { font-size: 1.25rem; margin-top: 2.5rem; } h3 { font-size: 1rem; margin: 1.5rem 0 .5rem; }
        .summary { font-size: 1.1rem; max-width: 60rem; }
        .quiet { color: var(--quiet); font-size: .85rem; }
        .plots { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(360px, 100%), 1fr)); gap: 1rem 1.5rem; }
        figure { margin: 0; } figcaption { font-size: .85rem; line-height: 1.35; margin-bottom: .3rem; }
        .hint { color: var(--quiet); font-size: .85rem; margin: 1rem 0 -.5rem; }
        .wide { overflow-x: auto; margin-top: 1rem; background:
          linear-gradient(to left, var(--paper) 40%, transparent) 100% 0 / 4rem 100% no-repeat local,
          linear-gradient(to left, var(--shade), transparent) 100% 0 / 1rem 100% no-repeat scroll; }
        table { border-collapse: separate; border-spacing: 0; font-variant-numeric: tabular-nums; font-size: .8rem; line-height: 1.35; }
        th, td { padding: .3rem .45rem; border-bottom: 1px solid var(--line); text-align: right; vertical-align: top; }
        td { white-space: nowrap; } td b { font-weight: 600; }
        th:first-child { text-align: left; position: sticky; left: 0; min-width: 6.5rem; background: var(--paper); }
        .group { border-left: 1px solid var(--line); }
        .advice li { margin-bottom: .5rem; }
        .reaches th { text-align: left; } .reaches th + th { font-weight: 400; }
        small { color: var(--quiet); font-weight: 400; } .bad { color: var(--bad); font-weight: 600; }
        .legend { margin: 1rem 0 .5rem; font-size: .85rem; }
        .legend span { white-space: nowrap; margin-right: .8em; }
        .legend i { display: inline-block; width: .8em; height: .8em; margin-right: .3em; border-radius: 2px; }
        .legend i.spread { width: 1.4em; height: .5em; border: solid var(--ink); border-width: 0 1px; border-radius: 0;
          background: linear-gradient(var(--ink), var(--ink)) 0 50% / 100% 1px no-repeat; }
        .legend .raw { background: var(--raw); } .legend .peer { background: var(--peer); } .legend .strata { background: var(--strata); }
        svg { width: 100%; height: auto; } svg text { font: 12px system-ui, sans-serif; fill: var(--ink); }
        svg text.label { font-size: 11px; fill: var(--quiet); } svg .mark { stroke: var(--line); }
        svg .spread { stroke: var(--ink); fill: none; } svg text { paint-order: stroke; stroke: var(--paper); stroke-width: 3px; }
        svg .raw { fill: var(--raw); } svg .peer { fill: var(--peer); } svg .strata { fill: var(--strata); }
        svg .line { fill: none; stroke-width: 2; } svg .line.raw { stroke: var(--raw); } svg .line.strata { stroke: var(--strata); }

        """
}
