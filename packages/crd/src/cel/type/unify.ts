import { dynType, isDynamic, sameType, type Type } from './type.ts'

/** The types that are substituted for type parameters. */
export type Substitutions = ReadonlyMap<string, Type>

/** The substitutions under which a value of type `from` is assignable to `to`, or undefined. */
export function unify(subs: Substitutions, from: Type, to: Type): Substitutions | undefined {
  return unifyAll(subs, [from], [to])
}

export function unifyAll(
  subs: Substitutions,
  from: readonly Type[],
  to: readonly Type[],
): Substitutions | undefined {
  const copy = new Map(subs)
  return assignableAll(copy, from, to) ? copy : undefined
}

/** Replaces type parameters by their substitutions. Those without one are kept or become dyn, depending on `free`. */
export function substitute(subs: Substitutions, type: Type, free: 'keep' | 'dyn'): Type {
  const known = type.kind === 'param' ? subs.get(type.name) : undefined
  if (known !== undefined) return substitute(subs, known, free)
  if (type.kind === 'param') return free === 'dyn' ? dynType : type
  if (type.params.length === 0) return type
  return { ...type, params: type.params.map((param) => substitute(subs, param, free)) }
}

/** The less specific of two types that unify. */
export function mostGeneral(left: Type, right: Type): Type {
  return isEqualOrLessSpecific(left, right) ? left : right
}

function assignableAll(
  subs: Map<string, Type>,
  from: readonly Type[],
  to: readonly Type[],
): boolean {
  return (
    from.length === to.length &&
    from.every((type, index) => assignable(subs, type, to[index] ?? dynType))
  )
}

function assignable(subs: Map<string, Type>, from: Type, to: Type): boolean {
  if (to.kind === 'param') {
    const bound = bind(subs, from, to)
    if (bound === 'yes') return true
    if (bound === 'conflict') return false
  }
  if (from.kind === 'param') return bind(subs, to, from) === 'yes'
  if (isWildcard(from) || isWildcard(to)) return true
  if (from.kind === 'null') return isNullable(to)
  if (to.kind === 'null') return isNullable(from)
  switch (from.kind) {
    case 'type':
      return to.kind === 'type'
    case 'opaque':
    case 'list':
    case 'map':
      return (
        from.kind === to.kind &&
        from.name === to.name &&
        assignableAll(subs, from.params, to.params)
      )
    default:
      return from.kind === to.kind && from.name === to.name
  }
}

/** Substitutes `type` for `param`, if that is possible. */
function bind(subs: Map<string, Type>, type: Type, param: Type): 'yes' | 'no' | 'conflict' {
  if (sameType(type, param)) return 'yes'
  const known = subs.get(param.name)
  if (known === undefined) {
    if (occurs(subs, param, type)) return 'no'
    subs.set(param.name, type)
    return 'yes'
  }
  if (sameType(type, known)) return 'yes'
  if (!assignable(subs, type, known)) return 'conflict'
  const general = mostGeneral(type, known)
  if (!occurs(subs, param, general)) subs.set(param.name, general)
  return 'yes'
}

function occurs(subs: Substitutions, param: Type, within: Type): boolean {
  if (sameType(param, within)) return true
  if (within.kind === 'param') {
    const known = subs.get(within.name)
    return known !== undefined && occurs(subs, param, known)
  }
  return within.params.some((inner) => occurs(subs, param, inner))
}

function isEqualOrLessSpecific(left: Type, right: Type): boolean {
  if (isDynamic(left) || left.kind === 'param') return true
  if (isDynamic(right) || right.kind === 'param') return false
  if (left.kind !== right.kind) return false
  if (left.kind === 'type') return true
  return (
    left.name === right.name &&
    left.params.length === right.params.length &&
    left.params.every((param, index) =>
      isEqualOrLessSpecific(param, right.params[index] ?? dynType),
    )
  )
}

function isWildcard(type: Type): boolean {
  return type.kind === 'dyn' || type.kind === 'error'
}

function isNullable(type: Type): boolean {
  switch (type.kind) {
    case 'null':
    case 'opaque':
    case 'struct':
    case 'duration':
    case 'timestamp':
      return true
    default:
      return false
  }
}
