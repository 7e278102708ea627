import { type ConditionDeclaration, unknownReasons } from '@agents/status'
import { table } from './markdown.ts'

interface ConditionSet {
  readonly summary: string
  readonly gates: readonly ConditionDeclaration[]
  readonly all: readonly ConditionDeclaration[]
}

/** The conditions of one kind: a table of conditions and a table of reasons, which alerts may match on. */
export function conditionSection({ all, gates, summary }: ConditionSet): string {
  const summaries = all.filter(({ type }) => type === summary || type === 'Finished')
  return [
    table(
      ['condition', 'True', 'False', 'Unknown'],
      all.map(({ type, doc }) => [`\`${type}\``, doc.True, doc.False, doc.Unknown]),
    ),
    table(
      ['condition', 'reason', 'meaning'],
      [
        ...reasonRows(summaries, gates),
        ...gates.flatMap((gate) => reasonRows([gate], [])),
        ...Object.entries(unknownReasons).map(([reason, meaning]) =>
          row('any gate', reason, meaning),
        ),
      ],
    ),
  ].join('\n\n')
}

/** The rows of reasons. Equal reasons of several conditions share a row; reasons repeated from a gate are omitted. */
function reasonRows(
  conditions: readonly ConditionDeclaration[],
  gates: readonly ConditionDeclaration[],
): string[][] {
  const entries = conditions.flatMap(({ type, reasons }) =>
    Object.entries(reasons)
      .filter(([reason]) => !Object.hasOwn(unknownReasons, reason))
      .filter(([reason, meaning]) => !gates.some((gate) => gate.reasons[reason] === meaning))
      .map(([reason, meaning]) => ({ type, reason, meaning })),
  )
  const groups = Map.groupBy(entries, ({ reason, meaning }) => JSON.stringify([reason, meaning]))
  return [...groups.values()].flatMap((group) => {
    const types = group.map(({ type }) => `\`${type}\``).join(', ')
    return group.slice(0, 1).map(({ reason, meaning }) => row(types, reason, meaning))
  })
}

function row(condition: string, reason: string, meaning: string): string[] {
  return [condition, `\`${reason}\``, meaning]
}
