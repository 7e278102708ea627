import { type ConditionDeclaration, unknownReasons } from '@agents/status'
import { table } from './markdown.ts'

export interface ConditionSet {
  readonly summary: string
  readonly gates: readonly ConditionDeclaration[]
  readonly all: readonly ConditionDeclaration[]
}

/** What a status of one kind can say: a table of conditions, and one of the reasons that alerts may match on. */
export function conditionSection({ all, gates, summary }: ConditionSet): string {
  return [
    table(
      ['condition', 'True', 'False', 'Unknown'],
      all.map(({ type, doc }) => [`\`${type}\``, doc.True, doc.False, doc.Unknown]),
    ),
    table(
      ['condition', 'reason', 'meaning'],
      [
        ...all
          .filter(({ type }) => [summary, 'Finished'].includes(type))
          .flatMap((each) => ownRows(each, gates)),
        ...gates.flatMap((gate) => ownRows(gate, [])),
        ...Object.entries(unknownReasons).map(([reason, meaning]) =>
          row('any gate', reason, meaning),
        ),
      ],
    ),
  ].join('\n\n')
}

/** The reasons of a condition, without those that it only repeats from a gate or that all gates share. */
function ownRows(
  { type, reasons }: ConditionDeclaration,
  repeated: readonly ConditionDeclaration[],
): string[][] {
  return Object.entries(reasons)
    .filter(([reason]) => !Object.hasOwn(unknownReasons, reason))
    .filter(([reason]) => !repeated.some((gate) => Object.hasOwn(gate.reasons, reason)))
    .map(([reason, meaning]) => row(`\`${type}\``, reason, meaning))
}

function row(condition: string, reason: string, meaning: string): string[] {
  return [condition, `\`${reason}\``, meaning]
}
