import type { FieldError } from '@agents/crd'
import { isJsonObject } from '../../json/json-value.ts'
import { unsupportedValue } from '../../status/field-errors.ts'
import type { Fields } from '../fields.ts'
import { propertyExtras, propertyType, typeLayer } from '../schema/compact-definition.ts'
import type { BuiltinTables } from '../schema/tables.ts'

/**
 * Rejects values that are not in the enums of the schema. Skips the status, since newer controllers may write new
 * values, and the strategy of a deployment, which is validated as a whole.
 */
export function enumErrors(
  { definitions }: Pick<BuiltinTables, 'definitions'>,
  id: string,
): (object: Fields) => FieldError[] {
  const plans = new Map<string, Plan>()
  const planOf = (definitionId: string): Plan => {
    let plan = plans.get(definitionId)
    if (plan === undefined) {
      plan = { own: [], inner: [] }
      plans.set(definitionId, plan)
      for (const [name, property] of Object.entries(definitions[definitionId]?.props ?? {})) {
        if (name === 'status' || name === 'metadata') continue
        const words = propertyExtras(property).enum
        if (words !== undefined && definitionId !== 'apps.v1.DeploymentStrategy') {
          plan.own.push({ name, words: wordOrder[name] ?? words.map(String) })
        }
        const target = referencedId(propertyType(property))
        if (target !== undefined) plan.inner.push({ name, plan: planOf(target) })
      }
    }
    return plan
  }
  return (object) => {
    const errors: FieldError[] = []
    check(planOf(id), object, '', errors)
    return errors
  }
}

/** Enums that upstream does not list in alphabetical order. */
const wordOrder: Readonly<Record<string, readonly string[]>> = {
  terminationMessagePolicy: ['File', 'FallbackToLogsOnError'],
  restartPolicy: ['Always', 'OnFailure', 'Never'],
  dnsPolicy: ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'],
  completionMode: ['NonIndexed', 'Indexed'],
  policyTypes: ['Ingress', 'Egress'],
  effect: ['NoSchedule', 'PreferNoSchedule', 'NoExecute'],
}

interface Plan {
  readonly own: { name: string; words: readonly string[] }[]
  readonly inner: { name: string; plan: Plan }[]
}

function check(plan: Plan, fields: Fields, path: string, errors: FieldError[]): void {
  for (const { name, words } of plan.own) {
    const value = fields[name]
    const values = Array.isArray(value) ? value : [value]
    for (const [index, one] of values.entries()) {
      if (typeof one !== 'string' || one === '' || words.includes(one)) continue
      const indexed = Array.isArray(value) && name !== 'accessModes'
      const field = indexed ? `${path}${name}[${index}]` : `${path}${name}`
      errors.push(unsupportedValue(field, one, words))
    }
  }
  for (const { name, plan: inner } of plan.inner) {
    const value = fields[name]
    if (isJsonObject(value)) check(inner, value, `${path}${name}.`, errors)
    else if (Array.isArray(value)) {
      for (const [index, item] of value.entries()) {
        if (isJsonObject(item)) check(inner, item, `${path}${name}[${index}].`, errors)
      }
    }
  }
}

function referencedId(type: string): string | undefined {
  const layer = typeLayer(type)
  if (layer.layer === 'list') return referencedId(layer.inner)
  return layer.layer === 'reference' ? layer.name : undefined
}
