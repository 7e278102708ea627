import { type GateOf, pass, stall } from '@agents/controller'
import type { Schedule, scheduleConditions } from '@agents/jangar-api'
import { parseCalendar } from '../calendar.ts'
import { kindOf, type RunKinds } from '../run-kinds.ts'

type Validated = GateOf<typeof scheduleConditions, 'Validated', Schedule>

export function validated(kinds: RunKinds): Validated {
  return { condition: 'Validated', check: (schedule) => check(schedule, kinds) }
}

function check(schedule: Schedule, kinds: RunKinds): ReturnType<Validated['check']> {
  const { metadata, spec } = schedule
  // The definition of the reference has an optional spec.
  if (spec?.cron === undefined) return stall('InvalidCron', 'spec.cron is missing')
  const parsed = parseCalendar(spec.cron, spec.timezone)
  if (!parsed.ok) return stall(parsed.reason, parsed.message)
  const kind = kindOf(schedule) ?? ''
  if (!kinds.has(kind)) {
    return stall(
      'UnsupportedTarget',
      `${kind === '' ? 'runs without a kind' : `runs of kind ${kind}`} cannot be scheduled; use ${[...kinds.keys()].join(', ')}`,
    )
  }
  const { namespace } = spec.targetRef ?? {}
  if (namespace !== undefined && namespace !== metadata.namespace) {
    return stall(
      'ForeignNamespace',
      `spec.targetRef.namespace is ${namespace}; only runs in the namespace of the schedule can be copied`,
    )
  }
  return pass('Valid', 'the spec is valid')
}
