import type { Budget, budgetConditions } from '@agents/jangar-api'
import { type Labels, matchesLabels, requirementsOf } from '@agents/kube'
import type { ReasonOf } from '@agents/status'
import { type Amounts, modelResources, readAmounts } from './amounts.ts'
import { windowAt } from './window.ts'

interface BudgetProblem {
  readonly reason: ReasonOf<typeof budgetConditions, 'Validated'>
  readonly message: string
}

/** Whose usage counts. */
interface Counted {
  readonly agent?: string | undefined
  readonly labels?: Labels | undefined
}

/** A Budget with everything read. */
export interface BudgetTerms {
  readonly limits: Amounts
  readonly reservation: Amounts
  readonly onExceeded: 'Stop' | 'Block' | 'Warn'
  /** In ascending order. */
  readonly alerts: readonly number[]
  readonly includes: (work: Counted) => boolean
  /** Why the Budget lets no run of its scope start. */
  readonly problem?: BudgetProblem
}

const defaultAlerts = [50, 80, 100]

export function readBudget({ spec }: Budget): BudgetTerms {
  const limits = readAmounts(spec?.limits)
  const reservation = readAmounts(spec?.reservation, modelResources)
  const { agentRef, labelSelector } = spec?.scope ?? {}
  const scope = labelSelector === undefined ? undefined : selectorProblem(labelSelector)
  const alerts = spec?.alerts ?? defaultAlerts
  const problem = firstOf([
    [
      'InvalidLimit',
      limits.problem && `spec.limits.${limits.problem.field}: ${limits.problem.message}`,
    ],
    [
      'NoLimits',
      Object.keys(limits.amounts).length === 0
        ? 'spec.limits is empty; set at least one'
        : undefined,
    ],
    ['InvalidScope', scope && `spec.scope.labelSelector.${scope}`],
    [
      'UnknownTimezone',
      windowAt(0, 'none', spec?.timezone) === undefined
        ? `spec.timezone: ${JSON.stringify(spec?.timezone)} is unknown; use a name such as Europe/Vienna`
        : undefined,
    ],
    [
      'InvalidReservation',
      reservation.problem &&
        `spec.reservation.${reservation.problem.field}: ${reservation.problem.message}`,
    ],
    ['InvalidAlert', alertProblem(alerts)],
  ])
  const requirements = scope === undefined ? requirementsOf(labelSelector ?? {}) : []
  return {
    limits: limits.amounts,
    reservation: reservation.amounts,
    onExceeded: spec?.onExceeded ?? 'Stop',
    alerts: alerts.toSorted((a, b) => a - b),
    // With a selector that cannot be read, it includes everything: it lets nothing start until it is corrected.
    includes: ({ agent, labels }) =>
      (agentRef === undefined || agentRef.name === agent) && matchesLabels(requirements, labels),
    ...(problem && { problem }),
  }
}

function firstOf(
  found: readonly (readonly [BudgetProblem['reason'], string | undefined])[],
): BudgetProblem | undefined {
  for (const [reason, message] of found) if (message !== undefined) return { reason, message }
  return undefined
}

function alertProblem(alerts: readonly number[]): string | undefined {
  const at = alerts.findIndex((alert) => !Number.isInteger(alert) || alert < 1 || alert > 100)
  return at === -1 ? undefined : `spec.alerts[${at}]: ${alerts[at]} is not from 1 to 100`
}

type Selector = NonNullable<NonNullable<NonNullable<Budget['spec']>['scope']>['labelSelector']>

/** The API server checks no label selectors in custom resources. */
function selectorProblem({
  matchLabels = {},
  matchExpressions = [],
}: Selector): string | undefined {
  for (const [key, value] of Object.entries(matchLabels)) {
    if (!isLabelKey(key)) return `matchLabels: ${JSON.stringify(key)} is not a label key`
    if (!isLabelValue(value))
      return `matchLabels.${key}: ${JSON.stringify(value)} is not a label value`
  }
  for (const [at, { key, operator, values = [] }] of matchExpressions.entries()) {
    const field = `matchExpressions[${at}]`
    if (!isLabelKey(key)) return `${field}.key: ${JSON.stringify(key)} is not a label key`
    const needsValues = operator === 'In' || operator === 'NotIn'
    if (needsValues !== values.length > 0) {
      return `${field}.values: ${operator} ${needsValues ? 'needs values' : 'takes no values'}`
    }
    const wrong = values.find((value) => !isLabelValue(value))
    if (wrong !== undefined) return `${field}.values: ${JSON.stringify(wrong)} is not a label value`
  }
  return undefined
}

/** As the API server demands of labels. */
const labelName = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/
const labelPrefix = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/

function isLabelKey(key: string): boolean {
  const slash = key.lastIndexOf('/')
  const prefix = slash === -1 ? undefined : key.slice(0, slash)
  if (prefix !== undefined && (prefix.length > 253 || !labelPrefix.test(prefix))) return false
  return labelName.test(key.slice(slash + 1))
}

function isLabelValue(value: string): boolean {
  return value === '' || labelName.test(value)
}
