//! Which image a node gets: found, made or fetched; our own images listed and removed. How one is made is in
//! `bootstrap` and `package_set`.

use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::time::Duration;

use bollard::models::ImageSummary;
use bollard::query_parameters::CreateImageOptionsBuilder;
use bollard::query_parameters::ListContainersOptionsBuilder;
use bollard::query_parameters::ListImagesOptionsBuilder;
use bollard::query_parameters::RemoveImageOptionsBuilder;
use futures_util::StreamExt;
use futures_util::TryStreamExt;
use nix::fcntl::Flock;
use nix::fcntl::FlockArg;
use serde::Serialize;
use tokio::sync::mpsc::UnboundedSender;

use crate::machine::contract::NodeSpec;
use crate::machine::docker::bootstrap;
use crate::machine::docker::driver::DockerOptions;
use crate::machine::docker::engine::Engine;
use crate::machine::docker::engine::LONG;
use crate::machine::docker::engine::SHORT;
use crate::machine::docker::engine::status_of;
use crate::machine::docker::host_sources::host_suite;
use crate::machine::docker::image_name;
use crate::machine::docker::package_set;
use crate::machine::error::MachineError;
use crate::model::event::Event;
use crate::model::unit::ByteSize;

/// One of our images.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ImageEntry {
    /// `benchtop/set:0123456789ab`; the id when it lost its name.
    pub name: String,
    /// The engine's id.
    pub id: String,
    /// Size with everything it is made from.
    pub size: ByteSize,
    /// Packages installed on its base; empty for a base.
    pub packages: Vec<String>,
}

/// An image to install packages on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Base {
    /// What the engine is asked for.
    pub image: String,
    /// What tells it from others in a hash: a name of ours, or the id of someone else's image.
    pub key: String,
}

/// Where a base can come from.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Origin {
    There(Base),
    Bootstrap { suite: String, image: String },
    Fetch,
}

/// Finds and makes images of one engine.
pub struct Images {
    engine: Engine,
    options: DockerOptions,
    known: Mutex<HashMap<(String, Vec<String>), String>>,
}

impl Images {
    /// For one engine.
    #[must_use]
    pub fn new(engine: Engine, options: DockerOptions) -> Self {
        Self { engine, options, known: Mutex::default() }
    }

    /// The image of a node when it is there already.
    ///
    /// # Errors
    /// [`MachineError::Engine`].
    pub async fn find(&self, node: &NodeSpec) -> Result<Option<String>, MachineError> {
        let key = (node.image.clone(), node.packages.clone());
        if let Some(image) = self.known.lock().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return Ok(Some(image.clone()));
        }
        let Origin::There(base) = self.origin(&node.image).await? else { return Ok(None) };
        if node.packages.is_empty() {
            return Ok(Some(base.image));
        }
        let image = image_name::set_image(&base.key, &node.packages);
        Ok(self.made(&image).await?.then_some(image))
    }

    /// The names of what is missing for these nodes, and whether a base must be bootstrapped for it.
    ///
    /// # Errors
    /// [`MachineError::Engine`].
    pub async fn missing(&self, nodes: &[NodeSpec]) -> Result<(usize, bool), MachineError> {
        let (mut missing, mut bootstrap) = (0, false);
        for (image, packages) in distinct(nodes) {
            let node = NodeSpec { image, packages, ..nodes[0].clone() };
            if self.find(&node).await?.is_none() {
                missing += 1;
                bootstrap |= matches!(self.origin(&node.image).await?, Origin::Bootstrap { .. });
            }
        }
        Ok((missing, bootstrap))
    }

    /// Makes every image that the nodes need, two at a time.
    ///
    /// # Errors
    /// [`MachineError::Image`], [`MachineError::MissingProgram`], [`MachineError::Engine`].
    pub async fn ensure(
        &self,
        nodes: &[NodeSpec],
        events: &UnboundedSender<Event>,
    ) -> Result<(), MachineError> {
        let wanted = distinct(nodes);
        let mut bases = BTreeMap::new();
        for (image, _) in &wanted {
            if !bases.contains_key(image) {
                bases.insert(image.clone(), self.ensure_base(image, events).await?);
            }
        }
        let bases = &bases;
        futures_util::stream::iter(wanted.into_iter().map(|(image, packages)| async move {
            let base = &bases[&image];
            let made = if packages.is_empty() {
                base.image.clone()
            } else {
                self.ensure_set(base, &packages, events).await?
            };
            self.known.lock().unwrap_or_else(PoisonError::into_inner).insert((image, packages), made);
            Ok(())
        }))
        .buffer_unordered(2)
        .try_collect()
        .await
    }

    async fn ensure_base(&self, image: &str, events: &UnboundedSender<Event>) -> Result<Base, MachineError> {
        match self.origin(image).await? {
            Origin::There(base) => Ok(base),
            Origin::Bootstrap { suite, image } => {
                let _turn = self.turn(&image, events).await;
                if !self.made(&image).await? {
                    bootstrap::bootstrap(&self.engine, &suite, &image, self.options.install, events).await?;
                }
                Ok(Base { key: image.clone(), image })
            }
            Origin::Fetch => self.fetch(image, events).await,
        }
    }

    async fn ensure_set(
        &self,
        base: &Base,
        packages: &[String],
        events: &UnboundedSender<Event>,
    ) -> Result<String, MachineError> {
        let image = image_name::set_image(&base.key, packages);
        if !self.made(&image).await? {
            let _turn = self.turn(&image, events).await;
            if !self.made(&image).await? {
                package_set::build(&self.engine, base, &image, packages, events).await?;
            }
        }
        Ok(image)
    }

    async fn origin(&self, image: &str) -> Result<Origin, MachineError> {
        let local = self.options.base.as_deref().unwrap_or(image);
        if let Some(id) = self.exists(local).await? {
            return Ok(Origin::There(Base { image: local.to_owned(), key: id }));
        }
        if self.options.base.is_some() {
            let step = "the image given as base is not on this engine".to_owned();
            return Err(MachineError::Image { image: local.to_owned(), step, source: None });
        }
        let host = host_suite();
        let host = host.as_ref().map(|(id, codename)| (id.as_str(), codename.as_str()));
        let Some(suite) = image_name::suite_of(image, host) else { return Ok(Origin::Fetch) };
        let ours = image_name::base_image(&suite);
        Ok(if self.made(&ours).await? {
            Origin::There(Base { key: ours.clone(), image: ours })
        } else {
            Origin::Bootstrap { suite, image: ours }
        })
    }

    /// Whether an image of ours is there: by its label, since a name can be given to anything.
    async fn made(&self, image: &str) -> Result<bool, MachineError> {
        let doing = format!("look for image {image}");
        let found = self.engine.find(&doing, self.engine.docker.inspect_image(image)).await?;
        let labels = found.and_then(|image| image.config?.labels).unwrap_or_default();
        Ok(labels.get(image_name::HASH).is_some_and(|hash| hash == image))
    }

    /// The id of an image that is there.
    async fn exists(&self, image: &str) -> Result<Option<String>, MachineError> {
        let found = self
            .engine
            .find(&format!("look for image {image}"), self.engine.docker.inspect_image(image))
            .await?;
        Ok(found.map(|image| image.id.unwrap_or_default()))
    }

    async fn fetch(&self, image: &str, events: &UnboundedSender<Event>) -> Result<Base, MachineError> {
        let step = |doing: &str| Event::ImageStep { image: image.to_owned(), doing: doing.to_owned() };
        let _ = events.send(step("pulling"));
        let (name, tag) = image_name::repository_and_tag(image);
        let options = CreateImageOptionsBuilder::new().from_image(name).tag(tag).build();
        let pull =
            self.engine.docker.create_image(Some(options), None, None).try_for_each(|_| async { Ok(()) });
        self.engine.call(&format!("pull {image}"), LONG, pull).await.map_err(|error| MachineError::Image {
            image: image.to_owned(),
            step: "it is neither local, nor pullable, nor bootstrappable: install mmdebstrap and use a Debian suite \
                   such as debian:bookworm, or load an image"
                .to_owned(),
            source: Some(Box::new(error)),
        })?;
        let key = self.exists(image).await?.unwrap_or_else(|| image.to_owned());
        Ok(Base { image: image.to_owned(), key })
    }

    /// Waits until no other benchtop of this user makes the same image. Without a place for the lock both make it,
    /// which is slow and harmless.
    async fn turn(&self, image: &str, events: &UnboundedSender<Event>) -> Option<Flock<std::fs::File>> {
        std::fs::create_dir_all(&self.options.cache).ok()?;
        let name: PathBuf = self.options.cache.join(format!("{}.lock", image.replace(['/', ':'], "-")));
        let mut file = std::fs::File::create(name).ok()?;
        let mut told = false;
        loop {
            match Flock::lock(file, FlockArg::LockExclusiveNonblock) {
                Ok(lock) => return Some(lock),
                Err((back, nix::errno::Errno::EWOULDBLOCK)) => file = back,
                Err(_) => return None,
            }
            if !std::mem::replace(&mut told, true) {
                let doing = "waiting for another benchtop that makes it".to_owned();
                let _ = events.send(Event::ImageStep { image: image.to_owned(), doing });
            }
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
    }

    /// Our images, bases first.
    ///
    /// # Errors
    /// [`MachineError::Engine`].
    pub async fn list(&self) -> Result<Vec<ImageEntry>, MachineError> {
        let mut entries: Vec<ImageEntry> = self.summaries().await?.into_iter().map(entry).collect();
        entries.sort_by(|left, right| left.name.cmp(&right.name));
        Ok(entries)
    }

    /// Removes our images that no container uses, and bases that no kept image is made from; gives the removed ones.
    ///
    /// # Errors
    /// [`MachineError::Engine`].
    pub async fn prune(&self) -> Result<Vec<ImageEntry>, MachineError> {
        let all = ListContainersOptionsBuilder::new().all(true).build();
        let containers =
            self.engine.call("list containers", SHORT, self.engine.docker.list_containers(Some(all))).await?;
        let mut used: BTreeSet<String> =
            containers.into_iter().filter_map(|container| container.image_id).collect();
        let (bases, sets): (Vec<ImageSummary>, Vec<ImageSummary>) = self
            .summaries()
            .await?
            .into_iter()
            .partition(|image| image.labels.get(image_name::KIND).is_some_and(|kind| kind == "base"));
        let mut removed = Vec::new();
        for image in sets.into_iter().chain(bases) {
            if used.contains(&image.id) {
                used.insert(image.parent_id);
            } else if self.remove(&image).await? {
                removed.push(entry(image));
            } else {
                used.insert(image.parent_id);
            }
        }
        Ok(removed)
    }

    async fn summaries(&self) -> Result<Vec<ImageSummary>, MachineError> {
        let ours = HashMap::from([("label", vec![image_name::KIND])]);
        let options = ListImagesOptionsBuilder::new().filters(&ours).build();
        self.engine.call("list images", SHORT, self.engine.docker.list_images(Some(options))).await
    }

    /// False when something came to use it in the meantime.
    async fn remove(&self, image: &ImageSummary) -> Result<bool, MachineError> {
        let name = image.repo_tags.iter().find(|tag| !tag.starts_with("<none>")).unwrap_or(&image.id);
        let options = RemoveImageOptionsBuilder::new().build();
        let removal = async {
            match self.engine.docker.remove_image(name, Some(options), None).await {
                Ok(_) => Ok(true),
                Err(error) => match status_of(&error) {
                    Some(404) => Ok(true),
                    Some(409) => Ok(false),
                    _ => Err(error),
                },
            }
        };
        self.engine.call(&format!("remove image {name}"), Duration::from_secs(120), removal).await
    }
}

fn entry(image: ImageSummary) -> ImageEntry {
    let name = image.repo_tags.iter().find(|tag| !tag.starts_with("<none>")).unwrap_or(&image.id).clone();
    let packages = image.labels.get(image_name::PACKAGES).map(String::as_str).unwrap_or_default();
    ImageEntry {
        name,
        packages: packages.split_whitespace().map(str::to_owned).collect(),
        size: ByteSize(u64::try_from(image.size).unwrap_or(0)),
        id: image.id,
    }
}

fn distinct(nodes: &[NodeSpec]) -> BTreeSet<(String, Vec<String>)> {
    nodes.iter().map(|node| (node.image.clone(), node.packages.clone())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_image_is_listed_with_its_packages_and_a_nameless_one_by_its_id() {
        let image = |tags: &[&str]| ImageSummary {
            id: "sha256:1".to_owned(),
            repo_tags: tags.iter().map(|&tag| tag.to_owned()).collect(),
            size: 5,
            labels: HashMap::from([(image_name::PACKAGES.to_owned(), "haproxy socat".to_owned())]),
            ..ImageSummary::default()
        };
        let named = entry(image(&["benchtop/set:abc"]));
        assert_eq!((named.name.as_str(), named.size), ("benchtop/set:abc", ByteSize(5)));
        assert_eq!(named.packages, ["haproxy", "socat"]);
        assert_eq!(entry(image(&["<none>:<none>"])).name, "sha256:1");
    }
}
