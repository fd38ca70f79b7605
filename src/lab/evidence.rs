//! What a run keeps of each variant besides numbers: rendered configurations and the evidence the software folders name.

use std::net::SocketAddr;
use std::time::Duration;

use futures_util::future::join_all;

use crate::formats::visible_text;
use crate::lab::checks::request;
use crate::lab::error::{Kind, LabError};
use crate::lab::ready::in_full;
use crate::lab::site::Site;
use crate::loadgen::Answer;
use crate::machine::{Command, quote};
use crate::model::experiment::{Language, Variant};
use crate::model::hand_in::{EvidenceItem, EvidenceSource};
use crate::model::load::Expect;
use crate::model::run::{Evidence, RenderedFile, RunRecord};
use crate::model::topology::ServiceRef;
use crate::plan::{self, EvidenceHow, PlannedEvidence, PlannedFile, Surroundings};
use crate::store::RunFolder;

/// Collecting one item may take this long.
const ITEM_AT_MOST: Duration = Duration::from_secs(20);
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
        let asked = self.asked_for(variant);
        for item in &asked {
            let text = self.collect_asked(variant, item).await?;
            self.keep_text(folder, record, variant, &item.title, &owner_of(item), &text)?;
        }
        let mut items = self.software_evidence(variant);
        // What the scenario asks for under the same heading takes its place.
        items.retain(|item| {
            let owner = item.reference.to_string();
            !asked.iter().any(|other| other.title == item.title && owner_of(other) == owner)
        });
        let texts = join_all(items.iter().map(|item| self.collect(item))).await;
        for (item, text) in items.iter().zip(texts) {
            self.keep_text(folder, record, variant, &item.title, &item.reference.to_string(), &text)?;
        }
        let nodes = variant.topology.nodes.keys();
        let listeners = join_all(nodes.clone().map(|node| self.listeners(node))).await;
        for (node, lines) in nodes.zip(listeners) {
            let text: String = lines?.into_iter().map(|line| line + "\n").collect();
            self.keep_text(folder, record, variant, self.listeners_title(), node, &text)?;
        }
        Ok(())
    }

    /// What the software folders show of every run.
    fn software_evidence(&self, variant: &Variant) -> Vec<PlannedEvidence> {
        let plans = self.plans.iter().filter(|plan| plan.enabled);
        let planned = plans.filter_map(|plan| {
            let of = |surroundings: &Surroundings<'_>| plan::evidence(surroundings, &plan.reference);
            self.with_surroundings(&variant.topology, of).ok()
        });
        planned.flatten().collect()
    }

    fn keep_text(
        &self,
        folder: &RunFolder,
        record: &mut RunRecord,
        variant: &Variant,
        title: &str,
        owner: &str,
        text: &str,
    ) -> Result<(), LabError> {
        let name = format!("evidence/{}/{owner}/{}.txt", variant.name, slug(title));
        folder.write_file(&name, self.mask(text).as_bytes())?;
        record.evidence.push(Evidence {
            title: title.to_owned(),
            variant: variant.name.clone(),
            service: owner.to_owned(),
            file: name,
        });
        Ok(())
    }

    const fn listeners_title(&self) -> &'static str {
        match self.experiment.report.language {
            Language::En => "Who listens where",
            Language::Es => "Quién escucha dónde",
        }
    }

    /// What the scenario wants shown of a variant.
    fn asked_for(&self, variant: &Variant) -> Vec<EvidenceItem> {
        let items = self.experiment.evidence.iter();
        let wanted = items.filter(|item| {
            item.variants.contains(&variant.name) && variant.topology.nodes.contains_key(&item.node)
        });
        wanted.cloned().collect()
    }

    /// The text of an item the scenario asks for. An item that cannot be had is an error: the hand-in needs it.
    async fn collect_asked(&self, variant: &Variant, item: &EvidenceItem) -> Result<String, LabError> {
        match &item.source {
            EvidenceSource::Action { service, action, arguments } => {
                let reference = ServiceRef::new(&item.node, service);
                let planned = self.planned_action(variant, &reference, action, arguments)?;
                let plan = self.plan_of(&reference)?;
                self.script(self.node(&item.node)?, plan, action, &planned.run, ITEM_AT_MOST).await
            }
            EvidenceSource::Get { port, path, host, login, status } => {
                let address = SocketAddr::new(self.node(&item.node)?.connection.client_address(), *port);
                let host = host.clone().unwrap_or_else(|| item.node.clone());
                let request = request(address, host, path.clone(), login.as_ref());
                let answer = match status {
                    Some(status) => {
                        self.ask_until(&request, &Expect { status: *status, ..Expect::default() }).await
                    }
                    None => {
                        let answer = self.bench.client.fetch(&request).await;
                        answer.map_err(|error| self.mask(&in_full(&error)))
                    }
                };
                answer.map(|answer| shown(&answer)).map_err(|why| {
                    let what = format!("variant {}: evidence `{}` cannot be had", variant.name, item.title);
                    LabError::new(Kind::Provisioning, what)
                        .detail("asked", &format!("{path} on port {port} of {}", item.node))
                        .detail("answer", &why)
                })
            }
            EvidenceSource::Config { service } => {
                let plan = self.plan_of(&ServiceRef::new(&item.node, service))?;
                // Scripts are benchtop's own tools, not configuration.
                let files: Vec<&PlannedFile> =
                    plan.files.iter().filter(|file| file.mode & 0o111 == 0).collect();
                let several = files.len() > 1;
                let texts = files.iter().map(|file| {
                    if several { format!("# {}\n{}\n", file.target, file.shown) } else { file.shown.clone() }
                });
                Ok(texts.collect())
            }
        }
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
                let address = SocketAddr::new(node.connection.address(), *port);
                let request = request(address, item.reference.node.clone(), path.clone(), None);
                return match self.bench.client.fetch(&request).await {
                    Ok(answer) => shown(&answer),
                    Err(error) => format!("not collected: {}", in_full(&error)),
                };
            }
        };
        match node.connection.run(&Command::new(script).at_most(ITEM_AT_MOST)).await {
            Ok(output) if output.succeeded() => limit(&output.text()),
            Ok(output) => format!("status {}\n{}", output.status, output.last_lines(20)),
            Err(error) => format!("not collected: {}", in_full(&error)),
        }
    }
}

/// Whose item it is: the service's, or only the node's.
fn owner_of(item: &EvidenceItem) -> String {
    match &item.source {
        EvidenceSource::Action { service, .. } | EvidenceSource::Config { service } => {
            format!("{}.{service}", item.node)
        }
        EvidenceSource::Get { .. } => item.node.clone(),
    }
}

/// Head and body; a page as a person sees it.
fn shown(answer: &Answer) -> String {
    let body = String::from_utf8_lossy(&answer.body);
    let is_page = answer.header("content-type").is_some_and(|kind| kind.starts_with("text/html"));
    let body = if is_page { visible_text(&body) } else { body.into_owned() };
    limit(&format!("{}\n\n{body}", answer.head))
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
