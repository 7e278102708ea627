import { boolean, list, map, object, oneOfStrings, optional, string } from '@agents/crd'

const quantities = (description: string) =>
  map(description, string('How much, as a Kubernetes quantity.'), { maxProperties: 100 })

const volume = object('One volume, mounted into the container.', {
  type: oneOfStrings('What backs the volume.', ['emptyDir', 'pvc', 'secret']),
  name: string('Name of the volume within the pod.'),
  mountPath: string('Where the container finds it.'),
  readOnly: optional(boolean('Keep the container from writing to it.')),
  claimName: optional(string('For pvc: name of the PersistentVolumeClaim.')),
  secretName: optional(string('For secret: name of the Secret.')),
  sizeLimit: optional(string('For emptyDir: how large it may grow, as a Kubernetes quantity.')),
  medium: optional(string('For emptyDir: Memory to keep it in memory.')),
})

export function workload(description: string) {
  return object(description, {
    image: optional(string('Image of the container; left out, the platform’s own.')),
    resources: optional(
      object('What the container gets of the node.', {
        requests: optional(quantities('What it is sure to get, by resource name.')),
        limits: optional(quantities('What it can get at most, by resource name.')),
      }),
    ),
    volumes: optional(list('Volumes of the pod.', volume, { maxItems: 100 })),
  })
}
