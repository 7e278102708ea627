import type { KubeObject } from '@agents/kube'
import type { LabelSelectorObject } from '../selector/label-selector-object.ts'

/** The four policy kinds of admissionregistration.k8s.io/v1 in stored form: defaulted and validated. */

export const admissionGroup = 'admissionregistration.k8s.io'

export type Operation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT'

export interface ResourceRule {
  readonly operations?: readonly (Operation | '*')[]
  readonly apiGroups?: readonly string[]
  readonly apiVersions?: readonly string[]
  /** `resource` or `resource/subresource`; each part can be `*`. */
  readonly resources?: readonly string[]
  readonly scope?: 'Cluster' | 'Namespaced' | '*'
  readonly resourceNames?: readonly string[]
}

export interface MatchResources {
  readonly resourceRules?: readonly ResourceRule[]
  readonly excludeResourceRules?: readonly ResourceRule[]
  readonly matchPolicy?: 'Exact' | 'Equivalent'
  readonly namespaceSelector?: LabelSelectorObject
  readonly objectSelector?: LabelSelectorObject
}

export interface NamedExpression {
  readonly name: string
  readonly expression: string
}

export interface ParamKind {
  readonly apiVersion: string
  readonly kind: string
}

export interface ParamRef {
  readonly name?: string
  readonly namespace?: string
  readonly selector?: LabelSelectorObject
  readonly parameterNotFoundAction?: 'Allow' | 'Deny'
}

export interface Validation {
  readonly expression: string
  readonly message?: string
  readonly messageExpression?: string
  readonly reason?: string
}

export interface AuditAnnotation {
  readonly key: string
  readonly valueExpression: string
}

interface Mutation {
  readonly patchType: 'ApplyConfiguration' | 'JSONPatch'
  readonly applyConfiguration?: { readonly expression: string }
  readonly jsonPatch?: { readonly expression: string }
}

/** The common part of both policy kinds. */
export interface PolicySpec {
  readonly paramKind?: ParamKind
  readonly matchConstraints?: MatchResources
  readonly matchConditions?: readonly NamedExpression[]
  readonly variables?: readonly NamedExpression[]
  readonly failurePolicy?: 'Fail' | 'Ignore'
}

export interface ValidatingPolicy extends KubeObject {
  readonly spec: PolicySpec & {
    readonly validations?: readonly Validation[]
    readonly auditAnnotations?: readonly AuditAnnotation[]
  }
  status?: {
    observedGeneration?: number
    typeChecking?: { expressionWarnings?: readonly { fieldRef: string; warning: string }[] }
  }
}

export interface MutatingPolicy extends KubeObject {
  readonly spec: PolicySpec & {
    readonly mutations?: readonly Mutation[]
    readonly reinvocationPolicy?: 'Never' | 'IfNeeded'
  }
}

export interface BindingSpec {
  readonly policyName: string
  readonly paramRef?: ParamRef
  readonly matchResources?: MatchResources
}

export interface ValidatingBinding extends KubeObject {
  readonly spec: BindingSpec & {
    readonly validationActions?: readonly ('Deny' | 'Warn' | 'Audit')[]
  }
}

export interface MutatingBinding extends KubeObject {
  readonly spec: BindingSpec
}
