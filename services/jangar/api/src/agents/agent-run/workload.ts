import { boolean, list, map, object, oneOfStrings, optional, string } from '@agents/crd'

function quantities(description: string) {
  return map(description, string('Amount, as a Kubernetes quantity.'), { maxProperties: 100 })
}

const volume = object('A volume that is mounted into the container.', {
  type: oneOfStrings('Type of the volume.', ['emptyDir', 'pvc', 'secret', 'workspace']),
  name: string('Name of the volume in the pod.'),
  mountPath: string('Path in the container.'),
  readOnly: optional(boolean('If true, the volume is mounted read-only.')),
  claimName: optional(string('For pvc: name of the PersistentVolumeClaim.')),
  secretName: optional(string('For secret: name of the Secret.')),
  workspaceName: optional(string('For workspace: name of the Workspace.')),
  sizeLimit: optional(string('For emptyDir: size limit, as a Kubernetes quantity.')),
  medium: optional(string('For emptyDir: Memory for a volume in memory.')),
})

export const resources = object('Compute resources of the container.', {
  requests: optional(quantities('Requested resources, by name.')),
  limits: optional(quantities('Resource limits, by name.')),
})

export function workload(description: string) {
  return object(description, {
    image: optional(
      string(
        'Image of the container. If omitted, defaults to that of the agent or of the platform.',
      ),
    ),
    resources: optional(resources),
    volumes: optional(list('Volumes of the pod.', volume, { maxItems: 100 })),
  })
}
