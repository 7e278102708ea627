export function deployment(image: string, replicas = 2): string {
  return `
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  labels: {app: web}
spec:
  replicas: ${replicas}
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - name: main
        image: ${image}
        ports: [{containerPort: 80}]
`
}

export function configMap(data: Readonly<Record<string, string>>): string {
  return `${JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' }, data })}\n`
}

/** A separate kind for each story, since definitions are cluster-scoped. */
export function widgetDefinition(group: string): string {
  return `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: widgets.${group}
spec:
  group: ${group}
  scope: Namespaced
  names: {plural: widgets, singular: widget, kind: Widget, shortNames: [wd], categories: [all]}
  versions:
  - name: v1
    served: true
    storage: true
    subresources:
      status: {}
      scale: {specReplicasPath: .spec.replicas, statusReplicasPath: .status.replicas}
    additionalPrinterColumns:
    - {name: Size, type: string, jsonPath: .spec.size}
    - {name: Replicas, type: integer, jsonPath: .spec.replicas}
    - {name: Note, type: string, jsonPath: .spec.note, priority: 1}
    - {name: Age, type: date, jsonPath: .metadata.creationTimestamp}
    schema:
      openAPIV3Schema:
        type: object
        description: A thing of some size.
        properties:
          spec:
            type: object
            description: What is wished for.
            required: [size]
            properties:
              size: {type: string, enum: [small, large], description: How big it is.}
              replicas: {type: integer, minimum: 0, default: 1}
              note: {type: string, maxLength: 20}
              parts:
                type: array
                items: {type: object, properties: {name: {type: string}, weight: {type: number}}}
          status:
            type: object
            properties:
              replicas: {type: integer}
              conditions:
                type: array
                items:
                  type: object
                  properties: {type: {type: string}, status: {type: string}}
`
}

export function widget(group: string, spec: Readonly<Record<string, unknown>>): string {
  return `${JSON.stringify({ apiVersion: `${group}/v1`, kind: 'Widget', metadata: { name: 'first' }, spec })}\n`
}

export function widgetList(group: string, spec: Readonly<Record<string, unknown>>): string {
  const items = [JSON.parse(widget(group, spec))]
  return `${JSON.stringify({ apiVersion: 'v1', kind: 'List', items })}\n`
}
