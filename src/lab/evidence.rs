//! What a run keeps of each variant besides numbers: rendered configurations and the evidence the software folders name.

use std::net::SocketAddr;
use std::time::Duration;

use crate::lab::error::LabError;
use crate::lab::ready::in_full;
use crate::lab::site::Site;
use crate::loadgen::FetchRequest;
use crate::machine::{Command, quote};
use crate::model::experiment::Variant;
use crate::model::run::{Evidence, RenderedFile, RunRecord};
use crate::model::topology::ServiceRef;
use crate::plan::{self, EvidenceHow, PlannedEvidence};
use crate::store::RunFolder;

/// So much of one item is kept.
const ITEM_BYTES_MAX: usize = 64 << 10;

impl Site<'_> {
    /// Keeps configurations (where an earlier variant has the same text, its file) and evidence of the variant in force.
    pub(crate) async fn keep_evidence(
        &self,
        folder: &RunFolder,
        record: &mut RunRecord,
        variant: &Variant,
    ) -> Result<(), LabError> {
        for plan in self.plans.iter().filter(|plan| plan.enabled) {
            for file in &plan.files {
                let shown = self.mask(&file.shown);
                let name = format!("config/{}/{}/{}", variant.name, plan.reference, file.target);
                let name = match self.seen_before(folder, record, &plan.reference, &file.target, &shown)? {
                    Some(earlier) => earlier,
                    None => {
                        folder.write_file(&name, shown.as_bytes())?;
                        name
                    }
                };
                record.configs.push(RenderedFile {
                    variant: variant.name.clone(),
                    service: plan.reference.to_string(),
                    target: file.target.clone(),
                    file: name,
                });
            }
        }
        for plan in self.plans.iter().filter(|plan| plan.enabled) {
            let planned = self.with_surroundings(&variant.topology, |surroundings| {
                plan::evidence(surroundings, &plan.reference)
            });
            for item in planned.unwrap_or_default() {
                let text = self.collect(&item).await;
                let name = format!("evidence/{}/{}/{}.txt", variant.name, plan.reference, slug(&item.title));
                folder.write_file(&name, self.mask(&text).as_bytes())?;
                record.evidence.push(Evidence {
                    title: item.title.clone(),
                    variant: variant.name.clone(),
                    service: plan.reference.to_string(),
                    file: name,
                });
            }
        }
        Ok(())
    }

    /// The file of an earlier variant that has the same text.
    fn seen_before(
        &self,
        folder: &RunFolder,
        record: &RunRecord,
        service: &ServiceRef,
        target: &str,
        shown: &str,
    ) -> Result<Option<String>, LabError> {
        let service = service.to_string();
        let earlier = record.configs.iter().filter(|kept| kept.service == service && kept.target == target);
        let texts = folder.texts(earlier.map(|kept| kept.file.as_str()))?;
        Ok(texts.into_iter().find(|(_, text)| text == shown).map(|(file, _)| file))
    }

    /// One item's text; a failure to collect it is itself told there.
    async fn collect(&self, item: &PlannedEvidence) -> String {
        let Ok(node) = self.node(&item.reference.node) else { return String::new() };
        let script = match &item.how {
            EvidenceHow::Run(script) => script.clone(),
            EvidenceHow::Log(path) => format!("tail -n 40 {}", quote(path)),
            EvidenceHow::Get(port, path) => {
                let request = FetchRequest {
                    address: SocketAddr::new(node.connection.address(), *port),
                    host: item.reference.node.clone(),
                    path: path.clone(),
                    headers: Vec::new(),
                    at_most: Duration::from_secs(10),
                    body_bytes_max: 4 << 20,
                };
                return match self.bench.client.fetch(&request).await {
                    Ok(answer) => {
                        let body = String::from_utf8_lossy(&answer.body).into_owned();
                        limit(&format!("{}\n\n{body}", answer.head))
                    }
                    Err(error) => format!("not collected: {}", in_full(&error)),
                };
            }
        };
        match node.connection.run(&Command::new(script).at_most(Duration::from_secs(20))).await {
            Ok(output) if output.succeeded() => limit(&output.text()),
            Ok(output) => format!("status {}\n{}", output.status, output.last_lines(20)),
            Err(error) => format!("not collected: {}", in_full(&error)),
        }
    }
}

fn limit(text: &str) -> String {
    if text.len() <= ITEM_BYTES_MAX {
        return text.to_owned();
    }
    let end = (0..=ITEM_BYTES_MAX).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    format!("{}\n(cut here, {} bytes in all)", &text[..end], text.len())
}

/// A title as a file name.
fn slug(title: &str) -> String {
    let words = title.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let slug = words.map(str::to_ascii_lowercase).collect::<Vec<_>>().join("-");
    if slug.is_empty() { "evidence".to_owned() } else { slug }
}
