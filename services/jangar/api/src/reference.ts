import { object, oneOfStrings, optional, string } from '@agents/crd'

/** An object of a known kind in the same namespace. */
export function localRef(description: string) {
  return object(description, { name: string('Its name, in the same namespace.') })
}

/** As `localRef`, where the name may be left out: the kinds that had loose schemas accept an empty reference. */
export function looseLocalRef(description: string) {
  return object(description, { name: optional(string('Its name, in the same namespace.')) })
}

/** One key of a Secret in the same namespace. */
export function secretRef(description: string, key: string) {
  return object(description, {
    name: string('Name of the Secret, in the same namespace.'),
    key: optional(string(key)),
  })
}

/** One key of a ConfigMap in the same namespace. */
export function configMapRef(description: string, key: string) {
  return object(description, {
    name: string('Name of the ConfigMap, in the same namespace.'),
    key: optional(string(key)),
  })
}

export function systemPromptRef(description: string) {
  return object(description, {
    kind: oneOfStrings('Which kind of object holds the text.', ['Secret', 'ConfigMap']),
    name: string('Its name, in the same namespace.'),
    key: string('The key under which the text is stored.'),
  })
}

/** Whom a policy is about. */
export function subject(description: string) {
  return object(description, {
    kind: string('Kind of the subject, such as Agent, AgentRun or Orchestration.'),
    name: string('Name of the subject.'),
    namespace: optional(
      string('Namespace of the subject; left out, it is the namespace of this object.'),
    ),
  })
}

/** An object that a controller made or observed, exact to its uid. */
export function observedObject(description: string) {
  return object(description, {
    apiVersion: optional(string('API version of the object.')),
    kind: optional(string('Kind of the object.')),
    name: optional(string('Name of the object.')),
    namespace: optional(string('Namespace of the object.')),
    uid: optional(string('UID of the object, which a namesake created later does not share.')),
  })
}
