import { isJsonObject } from '../../json/json-value.ts'
import type { Fields } from '../fields.ts'
import { propertyExtras, propertyType, typeLayer } from '../schema/compact-definition.ts'
import type { BuiltinTables } from '../schema/tables.ts'

/** Sets the defaults of a definition's own fields. Nested definitions are handled afterwards. */
export type SetDefaults = (fields: Fields) => void

export interface Defaulter {
  /** Sets the defaults of an object and everything below it, outer definitions before inner ones. */
  setDefaults(id: string, object: Fields): void
}

/** `rules`: defaults by id of the definition, in addition to those of the schema. */
export function createDefaulter(
  { definitions }: Pick<BuiltinTables, 'definitions'>,
  rules: Readonly<Record<string, SetDefaults>>,
): Defaulter {
  const plans = new Map<string, Plan>()
  const planOf = (id: string): Plan => {
    let plan = plans.get(id)
    if (plan === undefined) {
      plan = { own: [], inner: [], useful: undefined }
      plans.set(id, plan)
      fillPlan(plan, id)
    }
    return plan
  }
  const fillPlan = (plan: Plan, id: string): void => {
    const rule = rules[id]
    if (rule !== undefined) plan.own.push(rule)
    for (const [name, property] of Object.entries(definitions[id]?.props ?? {})) {
      const fallback = propertyExtras(property).default
      if (fallback !== undefined && !/^[[{]/.test(propertyType(property))) {
        plan.own.push((fields) => {
          if (isUnset(fields[name])) fields[name] = fallback
        })
      }
      const target = referencedId(propertyType(property))
      if (name !== 'metadata' && target !== undefined) {
        plan.inner.push({ name, plan: planOf(target) })
      }
    }
  }
  return {
    setDefaults(id, object) {
      const plan = planOf(id)
      prune(plan)
      run(plan, object)
    },
  }
}

interface Plan {
  readonly own: SetDefaults[]
  inner: { name: string; plan: Plan }[]
  /** Whether anything below has defaults. Undefined until it is computed. */
  useful: boolean | undefined
}

/** Drops branches without defaults, so that a walk visits only what it may change. */
function prune(plan: Plan): boolean {
  if (plan.useful !== undefined) return plan.useful
  // A cycle counts as having defaults while it is visited, which costs at most a needless walk.
  plan.useful = true
  plan.inner = plan.inner.filter(({ plan: inner }) => prune(inner))
  plan.useful = plan.own.length > 0 || plan.inner.length > 0
  return plan.useful
}

function run(plan: Plan, fields: Fields): void {
  for (const set of plan.own) set(fields)
  for (const { name, plan: inner } of plan.inner) {
    if (fields[name] !== undefined) visit(inner, fields[name])
  }
}

/** Runs a plan for an object or for each object of a list. */
function visit(plan: Plan, value: unknown): void {
  if (Array.isArray(value)) for (const item of value) visit(plan, item)
  else if (isJsonObject(value)) run(plan, value)
}

/** The definition that a type refers to, directly or as items of a list. Maps never hold definitions with defaults. */
function referencedId(type: string): string | undefined {
  const layer = typeLayer(type)
  if (layer.layer === 'list') return referencedId(layer.inner)
  return layer.layer === 'reference' ? layer.name : undefined
}

/** Reports whether a field has its zero value or is an absent pointer. */
function isUnset(value: unknown): boolean {
  return value === undefined || value === null || value === ''
}
