/**
 * Removes from kubectl's output what differs from run to run: times, ages, identities, addresses, widths of columns.
 */
export function normalise(text: string, url: string, home: string): string {
  let result = text.replaceAll(url, 'SERVER').replaceAll(home, 'HOME')
  for (const [pattern, replacement] of rules) result = result.replaceAll(pattern, replacement)
  return result.replaceAll(/(^\* .*\n)+/gm, sortedLines)
}

/** The real server reports the errors of an object in the random order of Go maps. */
function sortedLines(lines: string): string {
  return `${lines.trimEnd().split('\n').sort().join('\n')}\n`
}

const rules: readonly (readonly [RegExp, string])[] = [
  [/(?<=Forwarding from 127\.0\.0\.1:|Handling connection for )\d+/g, 'LOCAL-PORT'],
  // What the client library logs when a watch is cut off depends on the exact moment.
  [/^[EWI]\d{4} \d\d:\d\d:\d\d.*\n/gm, ''],
  // Widths of columns depend on the replaced cells, so that they are removed first.
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
  // A loop of kube-apiserver prints this if it runs between the creation of a Service and of the record of its address.
  [
    /Events:\n +Type .*\n +---- .*\n( +Warning {2}ClusterIPNotAllocated .*\n?)+/g,
    'Events:  <none>\n',
  ],
]
