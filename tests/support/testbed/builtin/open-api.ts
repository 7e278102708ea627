/** The part of OpenAPI v3 that kube-apiserver uses for the schemas of its built-in types. */
export interface OpenApiSchema {
  readonly description?: string
  readonly type?: string
  readonly format?: string
  readonly default?: unknown
  readonly enum?: readonly unknown[]
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, OpenApiSchema>>
  readonly items?: OpenApiSchema
  readonly additionalProperties?: OpenApiSchema
  readonly $ref?: string
  readonly allOf?: readonly OpenApiSchema[]
  readonly oneOf?: readonly OpenApiSchema[]
  readonly 'x-kubernetes-list-type'?: string
  readonly 'x-kubernetes-list-map-keys'?: readonly string[]
  readonly 'x-kubernetes-map-type'?: string
  readonly 'x-kubernetes-patch-strategy'?: string
  readonly 'x-kubernetes-patch-merge-key'?: string
  readonly 'x-kubernetes-group-version-kind'?: readonly GroupVersionKind[]
  readonly 'x-kubernetes-unions'?: unknown
}

export interface GroupVersionKind {
  readonly group: string
  readonly version: string
  readonly kind: string
}

export interface OpenApiDocument {
  readonly components: { readonly schemas: Readonly<Record<string, OpenApiSchema>> }
}
