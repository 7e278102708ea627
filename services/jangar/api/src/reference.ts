import { object, oneOfStrings, optional, string } from '@agents/crd'

/** An object of a known kind in the same namespace. */
export function localRef(description: string) {
  return object(description, { name: string('Name of the object, in the same namespace.') })
}

/** As `localRef`, but the name is optional: kinds that had loose schemas accept an empty reference. */
export function looseLocalRef(description: string) {
  return object(description, {
    name: optional(string('Name of the object, in the same namespace.')),
  })
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
    kind: oneOfStrings('Kind of the object.', ['Secret', 'ConfigMap']),
    name: string('Name of the object, in the same namespace.'),
    key: string('Key of the text in the object.'),
  })
}

/** The object that a policy applies to. */
export function subject(description: string) {
  return object(description, {
    kind: string('Kind of the subject, such as Agent, AgentRun or Orchestration.'),
    name: string('Name of the subject.'),
    namespace: optional(
      string('Namespace of the subject. It must be that of the policy, which is also the default.'),
    ),
  })
}

/** An object that a controller created or observed, identified by its uid. */
export function observedObject(description: string) {
  return object(description, {
    apiVersion: optional(string('API version of the object.')),
    kind: optional(string('Kind of the object.')),
    name: optional(string('Name of the object.')),
    namespace: optional(string('Namespace of the object.')),
    uid: optional(
      string(
        'UID of the object. An object of the same name that is created later has another one.',
      ),
    ),
  })
}
