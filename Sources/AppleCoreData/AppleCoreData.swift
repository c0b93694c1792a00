// Core Data is part of the system here, so that `import CoreData` imports the system's module.
