import type { KubeObject } from '@agents/kube'
import { formatApiVersion } from '@agents/kube'
import type { Schema, ValidationRule } from '../schema/schema.ts'
import type { Typed } from './build-schema.ts'

export interface PrinterColumn {
  readonly name: string
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date'
  readonly jsonPath: string
  readonly description?: string
  /** A column with a priority above 0 is shown only by `kubectl get -o wide`. */
  readonly priority?: number
}

interface KindDeclaration<Spec, Status> {
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly plural: string
  readonly shortNames?: readonly string[]
  readonly categories?: readonly string[]
  readonly scope: 'Namespaced' | 'Cluster'
  readonly description: string
  readonly spec: Typed<Spec>
  /** Whether `spec` may be omitted. Default false. */
  readonly specOptional?: boolean
  readonly status: Typed<Status>
  /** CEL rules on the whole object. */
  readonly rules?: readonly ValidationRule[]
  /** The printer columns without Age, which is added as the last column of every kind. */
  readonly columns: readonly PrinterColumn[]
  /** `Ready` for kinds that live until they are deleted, `Succeeded` for kinds that run once. */
  readonly summary: 'Ready' | 'Succeeded'
}

interface Kind<Spec, Status> extends KindDeclaration<Spec, Status> {
  readonly apiVersion: string
  readonly singular: string
  /** The `openAPIV3Schema` of the version. */
  readonly schema: Schema
}

/** The objects of a kind: `type AgentRun = ObjectOf<typeof agentRun>`. */
export type ObjectOf<K> =
  K extends Kind<infer Spec, infer Status> ? KubeObject & { spec: Spec; status?: Status } : never

export type AnyKind = Kind<unknown, unknown>

/** Declares a kind. Its types, CRD, documentation, defaulting and validation are all derived from the declaration. */
export function defineKind<Spec, Status>(
  declaration: KindDeclaration<Spec, Status>,
): Kind<Spec, Status> {
  return {
    ...declaration,
    apiVersion: formatApiVersion(declaration),
    singular: declaration.kind.toLowerCase(),
    schema: rootSchema(declaration),
  }
}

/** The status before the first reconcile. Because of the -1, kstatus computes InProgress and not Current. */
const initialStatus = { observedGeneration: -1 }

function rootSchema<Spec, Status>(declaration: KindDeclaration<Spec, Status>): Schema {
  return {
    description: declaration.description,
    type: 'object',
    ...(declaration.specOptional ? {} : { required: ['spec'] }),
    properties: {
      apiVersion: { description: `Always ${formatApiVersion(declaration)}.`, type: 'string' },
      kind: { description: `Always ${declaration.kind}.`, type: 'string' },
      metadata: { type: 'object' },
      spec: declaration.spec,
      status: { ...declaration.status, default: initialStatus },
    },
    ...(declaration.rules ? { 'x-kubernetes-validations': [...declaration.rules] } : {}),
  }
}
