import type { KubeObject } from '@agents/kube'
import { formatApiVersion } from '@agents/kube'
import type { Schema, ValidationRule } from '../schema.ts'
import type { Typed } from './build-schema.ts'

export interface PrinterColumn {
  readonly name: string
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date'
  readonly jsonPath: string
  readonly description?: string
  /** Above 0: only with `kubectl get -o wide`. */
  readonly priority?: number
}

export interface KindDeclaration<Spec, Status> {
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly plural: string
  readonly shortNames?: readonly string[]
  readonly categories?: readonly string[]
  readonly scope: 'Namespaced' | 'Cluster'
  readonly description: string
  readonly spec: Typed<Spec>
  /** Kinds that make sense without any setting may leave `spec` out. */
  readonly specOptional?: boolean
  readonly status: Typed<Status>
  /** CEL rules on the whole object. */
  readonly rules?: readonly ValidationRule[]
  /** Without Age, which every kind gets as its last column. */
  readonly columns: readonly PrinterColumn[]
  /** `Ready` for kinds that live, `Succeeded` for kinds that run once. */
  readonly summary: 'Ready' | 'Succeeded'
}

export interface Kind<Spec, Status> extends KindDeclaration<Spec, Status> {
  readonly apiVersion: string
  readonly singular: string
  /** `openAPIV3Schema` of the version. */
  readonly schema: Schema
}

/** The objects of a kind: `type AgentRun = ObjectOf<typeof agentRun>`. */
export type ObjectOf<K> =
  K extends Kind<infer Spec, infer Status> ? KubeObject & { spec: Spec; status?: Status } : never

export type AnyKind = Kind<unknown, unknown>

/** Declares a kind once; types, CRD, docs, defaulting and validation all follow from it. */
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

/** `observedGeneration: -1` says "nobody has looked yet", so that kstatus answers InProgress and not Current. */
const unseen = { observedGeneration: -1 }

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
      status: { ...declaration.status, default: unseen },
    },
    ...(declaration.rules ? { 'x-kubernetes-validations': [...declaration.rules] } : {}),
  }
}
