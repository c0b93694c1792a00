import StrataEngine
import StrataSQL

extension SQLiteTransaction {
    func update(_ plan: FetchPlan, _ assignments: RowAssignments) throws -> StoreAnswer? {
        try byStatement(plan) { try $0.update(assignments) }
    }

    func delete(_ plan: FetchPlan) throws -> StoreAnswer? {
        try byStatement(plan) { statement in
            let greatest = try statement.greatestReference()
            guard let answer = try statement.delete() else { return nil }
            try references.note(greatest, root: statement.table.root)
            return answer
        }
    }

    private func byStatement(_ plan: FetchPlan, _ body: (PlanStatement) throws -> StoreAnswer?) throws -> StoreAnswer? {
        try check()
        if progress.isUsed { return nil }
        do {
            let table = try table(of: plan.entity.index)
            try store.orphans.look(in: table, connection)
            let answer = try noticingFullDisk { try body(PlanStatement(plan: plan, table: table, transaction: self)) }
            if answer != nil { progress.noteBytes(CheckpointPolicy.large) }
            return answer
        } catch let error as StoreError where (error.underlying as? SQLiteFailure)?.isLeftToCore == true {
            // The changes of the statement before it failed are rolled back.
            if connection.isInTransaction { try connection.statement(.rollback).run(.save) }
            try connection.statement(.beginImmediate).run(.save)
            references = ReferenceCounter(connection, store.schema, store.writerState.rest(connection)?.reserve ?? ReferenceReserve())
            return nil
        }
    }
}
