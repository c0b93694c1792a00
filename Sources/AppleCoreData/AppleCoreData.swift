// Core Data is part of the system here: what says `import CoreData` has that.
