import { type ConditionDeclaration, unknownReasons } from '@agents/status'
import { table } from './markdown.ts'

export interface ConditionSet {
  readonly summary: string
  readonly gates: readonly ConditionDeclaration[]
  readonly all: readonly ConditionDeclaration[]
}

/** What a status of one kind can say: a table of conditions, and one of the reasons that alerts may match on. */
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

/** The reasons of conditions, those that mean the same in one row, without what they only repeat from a gate. */
function reasonRows(
  conditions: readonly ConditionDeclaration[],
  gates: readonly ConditionDeclaration[],
): string[][] {
  const said = conditions.flatMap(({ type, reasons }) =>
    Object.entries(reasons)
      .filter(([reason]) => !Object.hasOwn(unknownReasons, reason))
      .filter(([reason, meaning]) => !gates.some((gate) => gate.reasons[reason] === meaning))
      .map(([reason, meaning]) => ({ type, reason, meaning })),
  )
  const alike = Map.groupBy(said, ({ reason, meaning }) => JSON.stringify([reason, meaning]))
  return [...alike.values()].flatMap((group) => {
    const types = group.map(({ type }) => `\`${type}\``).join(', ')
    return group.slice(0, 1).map(({ reason, meaning }) => row(types, reason, meaning))
  })
}

function row(condition: string, reason: string, meaning: string): string[] {
  return [condition, `\`${reason}\``, meaning]
}
