// JSON schemas for kubeconform. The server from which it would download them is not needed: the OpenAPI document of Kubernetes
// and the custom resource definitions of KEDA and of the Prometheus operator are files of their Go modules.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { CACHE, moduleDirectory } from './go-programs.mjs';

export const KUBERNETES = '1.32.0';
const DEFINITIONS = [
  ['github.com/kedacore/keda/v2@v2.17.2', 'config/crd/bases/keda.sh_scaledobjects.yaml'],
  [
    'github.com/prometheus-operator/prometheus-operator@v0.84.0',
    'example/prometheus-operator-crd/monitoring.coreos.com_servicemonitors.yaml',
  ],
];

/** Where kubeconform finds the schemas, as a value of `-schema-location`. */
export function schemaLocation() {
  const directory = join(CACHE, `kubernetes-schemas-${KUBERNETES}`);
  if (!existsSync(join(directory, 'complete'))) {
    console.log(`Downloading the schemas of Kubernetes ${KUBERNETES} …`);
    mkdirSync(directory, { recursive: true });
    for (const [name, schema] of [...kubernetesSchemas(), ...customSchemas()])
      writeFileSync(join(directory, `${name}.json`), JSON.stringify(schema));
    writeFileSync(join(directory, 'complete'), '');
  }
  return `${directory}/{{ .ResourceKind }}{{ .KindSuffix }}.json`;
}

function* kubernetesSchemas() {
  const directory = join(
    moduleDirectory(`k8s.io/kubernetes@v${KUBERNETES}`),
    'api/openapi-spec/v3',
  );
  for (const file of readdirSync(directory)) {
    const { components } = JSON.parse(readFileSync(join(directory, file), 'utf8'));
    const schemas = components?.schemas ?? {};
    for (const schema of Object.values(schemas)) refuseUnknown(schema);
    for (const [name, schema] of Object.entries(schemas))
      for (const resource of schema['x-kubernetes-group-version-kind'] ?? [])
        yield [fileName(resource), { $ref: `#/components/schemas/${name}`, components }];
  }
}

function* customSchemas() {
  for (const [source, file] of DEFINITIONS) {
    const { spec } = parse(readFileSync(join(moduleDirectory(source), file), 'utf8'));
    for (const { name: version, schema } of spec.versions) {
      refuseUnknown(schema.openAPIV3Schema);
      yield [
        fileName({ group: spec.group, version, kind: spec.names.kind }),
        schema.openAPIV3Schema,
      ];
    }
  }
}

/** As kubeconform names it: a group by its first part, and none for the core. */
function fileName({ group, version, kind }) {
  const suffix = group === '' ? version : `${group.split('.')[0]}-${version}`;
  return `${kind}-${suffix}`.toLowerCase();
}

/** Kubernetes drops a field that it does not know; for a chart it is a misspelled one. */
function refuseUnknown(schema) {
  if (schema === null || typeof schema !== 'object') return;
  const { properties, additionalProperties } = schema;
  const isOpen = schema['x-kubernetes-preserve-unknown-fields'] === true;
  if (properties !== undefined && additionalProperties === undefined && !isOpen)
    schema.additionalProperties = false;
  for (const part of [...Object.values(properties ?? {}), additionalProperties, schema.items])
    refuseUnknown(part);
}
