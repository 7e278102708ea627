/** Takes out of kubectl's output what differs from run to run: times, ages, identities, addresses, widths of columns. */
export function normalise(text: string, url: string, home: string): string {
  let result = text.replaceAll(url, 'SERVER').replaceAll(home, 'HOME')
  for (const [pattern, replacement] of rules) result = result.replaceAll(pattern, replacement)
  return result.replaceAll(/(^\* .*\n)+/gm, sortedLines)
}

/** The real server finds the faults of an object in the order of a Go map. */
const sortedLines = (lines: string): string => `${lines.trimEnd().split('\n').sort().join('\n')}\n`

const rules: readonly (readonly [RegExp, string])[] = [
  // What the client library logs when a watch is cut off depends on when exactly.
  [/^[EWI]\d{4} \d\d:\d\d:\d\d.*\n/gm, ''],
  // Widths of columns depend on what was cut out of the cells, so they go first.
  [/(?<=\S) {2,}/g, '  '],
  [/[ \t]+$/gm, ''],
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, 'TIME'],
  [/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)? \+0000( UTC)?/g, 'TIME'],
  [/(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d \w{3} \d{4} \d\d:\d\d:\d\d \+0000/g, 'TIME'],
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, 'UID'],
  [/(resourceVersion"?: ?)"\d+"/g, '$1"RV"'],
  [/eyJ[\w-]+\.[\w-]+\.[\w-]+/g, 'TOKEN'],
  [/-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g, 'CERTIFICATE'],
  [/\b10\.\d+\.\d+\.\d+\b/g, 'CLUSTER-IP'],
  [/\b3[0-2]\d{3}\b/g, 'NODE-PORT'],
  [/(?<=[\s(])\d+(\.\d+)?(ms|s|m|h|d)(\d+[smhd])?(?=[\s),]|$)/gm, 'AGE'],
  [/\b(LIVE|MERGED)-\d+\b/g, '$1'],
  [/Resource Version: {2}\d+/g, 'Resource Version:  RV'],
  [/\b(kube-api-access-)[a-z0-9]{5}\b/g, '$1RANDOM'],
  [/(\\"resourceVersion\\":\\")\d+/g, '$1RV'],
  [/kubectl-edit-\d+\.yaml/g, 'kubectl-edit.yaml'],
  // A loop of kube-apiserver that happens to look between a Service and the record of its address says so.
  [
    /Events:\n +Type .*\n +---- .*\n( +Warning {2}ClusterIPNotAllocated .*\n?)+/g,
    'Events:  <none>\n',
  ],
]
