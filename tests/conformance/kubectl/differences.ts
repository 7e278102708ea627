/** Intentional differences between the two servers, and between machines, which are excluded from the comparison. */
export interface Difference {
  readonly because: string
  readonly pattern: RegExp
}

export const differences = {
  prose: {
    because: 'descriptions of built-in fields are not copied',
    pattern: /^ +[^\t\n]*\n|^\n/gm,
  },
  kinds: {
    because: 'groups that only nodes, schedulers and the real server itself need are not served',
    pattern:
      /^(bindings|componentstatuses|deviceclasses|resourceclaims|resourceclaimtemplates|resourceslices) .*\n|^resource\.k8s\.io\/v1\n/gm,
  },
  build: {
    because: 'it is another program',
    pattern: /^ +"?(git|build|go|compiler|platform).*\n/gm,
  },
  checks: {
    because: 'it is made of other parts',
    pattern:
      /^\[\+\](etcd-readiness|informer-sync|poststarthook\/\S+|autoregister-completion) ok\n/gm,
  },
  node: {
    because:
      'the embedded server reaches the local node inside its process, not through a port; and machines differ',
    pattern:
      /(?<=kubeletEndpoint:\n +Port: )\d+|(?<=^ +(?:cpu|memory): +"?)\d+(?:Ki)?|(?<=ernel ?Version: +| linux {2})\d\S*|\b(?:amd64|arm64)\b/gm,
  },
  patchedObject: {
    because: 'the object in the message has its fields in another order',
    pattern: /(?<=patch: Invalid value: )"\{.*\}"(?=: )/g,
  },
} satisfies Readonly<Record<string, Difference>>
