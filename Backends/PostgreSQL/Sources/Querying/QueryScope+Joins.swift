import StrataEvaluation
import StrataModel
import StrataSQL

extension QueryScope {
    /// Joins the tables of a path's steps, with nulls where a step has no destination.
    mutating func join(_ path: PropertyPath, to sql: inout SQLText) -> QueryTable? {
        guard var table = variables[path.variable] else { return nil }
        for step in path.steps {
            guard let column = table.column(step.slot), let next = destination(step) else { return nil }
            sql.add(" LEFT JOIN ")
            next.add(to: &sql)
            sql.add(" ON ")
            QueryScope.relate(EntityTable.id, of: next.alias, to: column.name, of: table.alias, in: &sql)
            table = next
        }
        return table
    }
}
