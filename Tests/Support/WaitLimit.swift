/// How long tests wait for what must happen: a limit that ends a test that hangs, and never one that a loaded machine reaches.
package let waitLimit: Duration = .seconds(600)
