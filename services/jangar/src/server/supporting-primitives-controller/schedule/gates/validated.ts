import { type GateOf, pass, stall } from '@agents/controller'
import { agentRun, type Schedule, type scheduleConditions } from '@agents/jangar-api'
import { parseCalendar } from '../calendar.ts'

export const validated: GateOf<typeof scheduleConditions, 'Validated', Schedule> = {
  condition: 'Validated',
  check: ({ metadata, spec }) => {
    // The definition of the reference has an optional spec.
    if (spec?.cron === undefined) return stall('InvalidCron', 'spec.cron is missing')
    const parsed = parseCalendar(spec.cron, spec.timezone)
    if (!parsed.ok) return stall(parsed.reason, parsed.message)
    const { kind } = spec.template ?? spec.targetRef ?? {}
    if (kind !== agentRun.kind) {
      return stall(
        'UnsupportedTarget',
        `runs of kind ${kind} cannot be scheduled: no controller of this release reconciles them; use ${agentRun.kind}`,
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
  },
}
