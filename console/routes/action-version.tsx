import { useParams } from '@tanstack/react-router';
import { useRead } from '../api/queries.ts';
import { Diff } from '../components/diff.tsx';
import { To } from '../components/link.tsx';
import { Screen, Section, When } from '../components/screen.tsx';
import { jsonText } from '../components/text.ts';
import { Fields, Foreign, Id, Json, Time } from '../components/values.tsx';

export function ActionVersionScreen() {
  const { name: ref = '', number = '' } = useParams({ strict: false }) as { name?: string; number?: string };
  const current = Number(number);
  const path = '/api/v2/actions/{ref}/versions/{number}';
  const read = useRead('actions', path, { path: { ref, number } });
  const before = useRead('actions', path, { path: { ref, number: String(current - 1) }, enabled: current > 1 });
  return (
    <Screen title={`${ref}, version ${number}`} kicker={<To path={`/actions/${ref}`}>{ref}</To>}>
      <When read={read}>
        {({ data: version }) => (
          <>
            <Fields
              rows={{
                Why: version.changeNote !== null && <Foreign>{version.changeNote}</Foreign>,
                Made: <Time at={version.createdAt} distance />,
                Digest: <Id value={version.digest} short />,
              }}
            />
            {current > 1 && (
              <Section title={`What changed since version ${current - 1}`}>
                <When read={before}>
                  {({ data }) => <Diff before={jsonText(data.definition)} after={jsonText(version.definition)} />}
                </When>
              </Section>
            )}
            <Section title="The definition">
              <Json value={version.definition} label="definition" />
            </Section>
          </>
        )}
      </When>
    </Screen>
  );
}
