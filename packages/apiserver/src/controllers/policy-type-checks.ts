import { setImmediate } from 'node:timers/promises'
import {
  type CheckedPolicy,
  checkPolicyTypes,
  type ExpressionWarning,
  type Schema,
} from '@agents/crd'
import { checkedResources } from '../admission-policy/checked-kinds.ts'
import { resourceOfKind } from '../admission-policy/params.ts'
import { admissionGroup, type ValidatingPolicy } from '../admission-policy/policy-objects.ts'
import type { Registry } from '../registry/registry.ts'
import type { Resource } from '../registry/resource.ts'
import type { Store } from '../store/store.ts'
import type { BackgroundTask } from './background-task.ts'
import { type InternalClient, ignoreMissing } from './internal-client.ts'
import { startWatchedQueue } from './watched-queue.ts'

interface PolicyTypeChecksOptions {
  readonly store: Store
  readonly registry: Registry
  readonly client: InternalClient
  /** The schema that OpenAPI publishes, with references resolved. */
  readonly schemaOf: (resource: Resource) => Schema | undefined
  readonly onError: (key: string, error: unknown) => void
}

const plural = 'validatingadmissionpolicies'
const prefix = `/${admissionGroup}/${plural}/`
const manager = 'validatingadmissionpolicy-status'

/**
 * Type-checks the expressions of ValidatingAdmissionPolicies against the schemas of matched kinds; warns in the status.
 */
export function startPolicyTypeChecks(options: PolicyTypeChecksOptions): BackgroundTask {
  const { store, onError } = options
  return startWatchedQueue({ store, prefix, work: (key) => check(key, options), onError })
}

async function check(key: string, options: PolicyTypeChecksOptions): Promise<void> {
  const policy = options.store.get(key)?.value as ValidatingPolicy | undefined
  const resource = options.registry.find(admissionGroup, 'v1', plural)
  if (policy === undefined || resource === undefined) return
  const { name, generation = 0 } = policy.metadata
  if (generation <= (policy.status?.observedGeneration ?? 0)) return
  const expressionWarnings = await warningsOf(policy, options)
  const status = {
    observedGeneration: generation,
    typeChecking: expressionWarnings.length === 0 ? {} : { expressionWarnings },
  }
  const target = { resource, namespace: '', name }
  await ignoreMissing(options.client.applyStatus(target, manager, status))
}

/** Yields to requests after each kind, since the schema of a Pod alone has thousands of fields. */
async function warningsOf(
  { spec }: ValidatingPolicy,
  { registry, schemaOf }: PolicyTypeChecksOptions,
): Promise<ExpressionWarning[]> {
  const { paramKind, variables = [], validations = [] } = spec
  const params = paramKind === undefined ? undefined : resourceOfKind(registry, paramKind)
  const paramSchema = params === undefined ? undefined : schemaOf(params)
  const checked: CheckedPolicy = {
    variables,
    validations,
    ...(paramKind === undefined
      ? {}
      : {
          params: {
            kind: paramKind.kind,
            ...(paramSchema === undefined ? {} : { schema: paramSchema }),
          },
        }),
  }
  const found: ExpressionWarning[] = []
  for (const resource of checkedResources(spec, registry)) {
    await setImmediate()
    const schema = schemaOf(resource)
    if (schema === undefined) continue
    const { group, version, kind } = resource
    found.push(...checkPolicyTypes(checked, [{ group, version, kind, schema }]))
  }
  const fields = validations.flatMap((_one, index) =>
    ['expression', 'messageExpression'].map((name) => `spec.validations[${index}].${name}`),
  )
  return fields.flatMap((fieldRef) => {
    const own = found.filter((one) => one.fieldRef === fieldRef).map(({ warning }) => warning)
    return own.length === 0 ? [] : [{ fieldRef, warning: own.join('\n') }]
  })
}
