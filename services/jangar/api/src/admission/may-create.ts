import { type AnyKind, celString, type PolicyValidation } from '@agents/crd'

type Resource = Pick<AnyKind, 'group' | 'plural'>

/** An expression for whether the user has a right to objects of a kind in the namespace of the request. */
export function mayIn({ group, plural }: Resource, verb: string, name?: string): string {
  const named = name === undefined ? '' : `.name(${name})`
  return `authorizer.group(${celString(group)}).resource(${celString(plural)}).namespace(request.namespace)${named}.check(${celString(verb)}).allowed()`
}

/** Demands the right to create objects of a kind, which the controllers create with their own rights later. */
export function mayCreate(
  kind: Resource,
  /** An expression for whether the object has them created. */
  condition: string,
  /** The object, in messages. */
  what: string,
): PolicyValidation {
  return {
    expression: `!(${condition}) || ${mayIn(kind, 'create')}`,
    message: `spec: you may not create the ${kind.plural}.${kind.group} of the ${what}`,
    messageExpression: `'spec: ' + request.userInfo.username + ' may not create ${kind.plural}.${kind.group} in the namespace ' + request.namespace + ', which the ${what} starts'`,
    reason: 'Forbidden',
  }
}
